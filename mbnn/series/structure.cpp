#include "mbnn/series/structure.h"

#include <algorithm>
#include <cmath>

#include "mbnn/core/error.h"
#include "mbnn/core/finite.h"

namespace mbnn {

namespace {

constexpr std::size_t kLongestSeason = 1000;

void check_prior(const NoisePrior& prior, const char* option) {
  require(prior.fixed >= 0 && std::isfinite(prior.fixed), option, prior.fixed, "must be positive and finite");
  if (prior.fixed > 0) return;
  require(positive(prior.shape), fmt::format("{} shape", option), prior.shape, "must be positive and finite");
  require(positive(prior.rate), fmt::format("{} rate", option), prior.rate, "must be positive and finite");
}

}  // namespace

void SeriesOptions::check() const {
  for (std::size_t i = 0; i < seasons.size(); ++i) {
    require(seasons[i] >= 2 && seasons[i] <= kLongestSeason, "--season", seasons[i],
            fmt::format("a period must be from 2 to {} steps", kLongestSeason));
    require(std::count(seasons.begin(), seasons.end(), seasons[i]) == 1, "--season", seasons[i],
            "the period is given twice");
  }
  check_prior(level, "--level-variance");
  check_prior(slope, "--slope-variance");
  check_prior(season, "--season-variance");
  require(damping > 0 && damping < 1, "--damping", damping, "must be between 0 and 1");
  require(positive(initial_level), "initial_level", initial_level, "must be positive and finite");
  require(positive(initial_slope), "initial_slope", initial_slope, "must be positive and finite");
  require(positive(initial_season), "initial_season", initial_season, "must be positive and finite");
}

SeriesParameters SeriesParameters::start(const SeriesOptions& options, double noise) {
  auto mode = [](const NoisePrior& prior) { return prior.fixed > 0 ? prior.fixed : prior.rate / (prior.shape + 1); };
  SeriesParameters p;
  p.noise = noise;
  p.level = mode(options.level);
  p.slope = mode(options.slope);
  p.season.assign(options.seasons.size(), mode(options.season));
  p.damping = options.trend == Trend::damped ? options.damping : 1;
  return p;
}

std::vector<std::string> component_names(const SeriesOptions& options) {
  std::vector<std::string> names{"trend"};
  for (std::size_t period : options.seasons) names.push_back(fmt::format("season{}", period));
  return names;
}

}  // namespace mbnn
