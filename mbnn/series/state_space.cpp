#include "mbnn/series/state_space.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

namespace mbnn {

StateSpace::StateSpace(const SeriesOptions& options, const SeriesParameters& parameters)
    : trend_(options.trend), damping_(parameters.damping), noise_(parameters.noise), seasons_(options.seasons) {
  picked_.push_back(0);
  observed_.push_back(0);
  initial_.push_back(options.initial_level);
  disturbed_.push_back(parameters.level);
  if (trend_ == Trend::linear) {
    initial_.push_back(options.initial_slope);
    disturbed_.push_back(parameters.slope);
  }
  for (std::size_t i = 0; i < seasons_.size(); ++i) {
    const Season& season = seasons_[i];
    const std::size_t first = initial_.size(), entries = season.entries();
    picked_.push_back(observed_.size());
    turns_.emplace_back();
    initial_.insert(initial_.end(), entries, options.initial_season);
    disturbed_.insert(disturbed_.end(), entries, 0.0);
    for (std::size_t k = 0; k < season.disturbed(); ++k) disturbed_[first + k] = parameters.season[i] * season.share();
    if (season.waves == 0) observed_.push_back(first);
    for (std::size_t j = 1; j <= season.waves; ++j) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(j) / season.period;
      const std::size_t entry = first + 2 * (j - 1);
      turns_.back().push_back({std::cos(angle), std::sin(angle)});
      observed_.push_back(entry);
      for (std::size_t e = entry; e < std::min(entry + 2, initial_.size()); ++e)
        initial_[e] /= static_cast<double>(j * j);
    }
  }
  picked_.push_back(observed_.size());
}

namespace {

// T on the waves of a season, or its transpose: each pair of rows turns. A lone one changes its sign.
void turn(std::span<const StateSpace::Turn> turns, std::size_t entries, double direction, double* block,
          std::size_t width) {
  for (std::size_t j = 0; j < turns.size(); ++j) {
    const double cosine = turns[j].cosine, sine = direction * turns[j].sine;
    double *a = block + 2 * j * width, *b = a + width;
    const bool lone = 2 * j + 1 == entries;
    for (std::size_t k = 0; k < width; ++k) {
      const double before = a[k];
      if (lone) {
        a[k] = -before;
      } else {
        a[k] = cosine * before + sine * b[k];
        b[k] = cosine * b[k] - sine * before;
      }
    }
  }
}

}  // namespace

void StateSpace::advance(double* a, std::size_t width) const {
  if (trend_ == Trend::damped)
    for (std::size_t j = 0; j < width; ++j) a[j] *= damping_;
  if (trend_ == Trend::linear)
    for (std::size_t j = 0; j < width; ++j) a[j] += a[width + j];
  for (std::size_t i = 0; i < seasons_.size(); ++i) {
    double* block = a + first(i + 1) * width;
    const std::size_t entries = seasons_[i].entries();
    if (seasons_[i].waves > 0) {
      turn(turns_[i], entries, 1, block, width);
      continue;
    }
    sum_.assign(width, 0.0);
    for (std::size_t k = 0; k < entries; ++k)
      for (std::size_t j = 0; j < width; ++j) sum_[j] -= block[k * width + j];
    std::memmove(block + width, block, (entries - 1) * width * sizeof(double));
    std::copy(sum_.begin(), sum_.end(), block);
  }
}

void StateSpace::advance_back(double* a) const {
  if (trend_ == Trend::damped) a[0] *= damping_;
  if (trend_ == Trend::linear) a[1] += a[0];
  for (std::size_t i = 0; i < seasons_.size(); ++i) {
    double* block = a + first(i + 1);
    const std::size_t entries = seasons_[i].entries();
    if (seasons_[i].waves > 0) {
      turn(turns_[i], entries, -1, block, 1);
      continue;
    }
    const double newest = block[0];
    for (std::size_t k = 0; k + 1 < entries; ++k) block[k] = block[k + 1] - newest;
    block[entries - 1] = -newest;
  }
}

std::vector<double> StateSpace::simulate(std::size_t steps, Rng& rng) const {
  const std::size_t m = states();
  std::vector<double> path(steps * m);
  for (std::size_t i = 0; i < m && steps > 0; ++i) path[i] = std::sqrt(initial_[i]) * rng.normal();
  for (std::size_t t = 1; t < steps; ++t) {
    double* a = path.data() + t * m;
    std::copy_n(a - m, m, a);
    advance(a);
    for (std::size_t i = 0; i < m; ++i)
      if (disturbed_[i] > 0) a[i] += std::sqrt(disturbed_[i]) * rng.normal();
  }
  return path;
}

}  // namespace mbnn
