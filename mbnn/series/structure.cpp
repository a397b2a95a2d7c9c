#include "mbnn/series/structure.h"

#include <fmt/format.h>

namespace mbnn {

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
  for (const Season& season : options.seasons) names.push_back("season" + season.length());
  return names;
}

}  // namespace mbnn
