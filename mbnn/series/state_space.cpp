#include "mbnn/series/state_space.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace mbnn {

StateSpace::StateSpace(const SeriesOptions& options, const SeriesParameters& parameters)
    : trend_(options.trend), damping_(parameters.damping), noise_(parameters.noise), seasons_(options.seasons) {
  observed_.push_back(0);
  initial_.push_back(options.initial_level);
  disturbed_.push_back(parameters.level);
  if (trend_ == Trend::linear) {
    initial_.push_back(options.initial_slope);
    disturbed_.push_back(parameters.slope);
  }
  for (std::size_t i = 0; i < seasons_.size(); ++i) {
    observed_.push_back(initial_.size());
    initial_.insert(initial_.end(), seasons_[i] - 1, options.initial_season);
    disturbed_.insert(disturbed_.end(), seasons_[i] - 1, 0.0);
    disturbed_[observed_.back()] = parameters.season[i];
  }
}

void StateSpace::advance(double* a, std::size_t width) const {
  if (trend_ == Trend::damped)
    for (std::size_t j = 0; j < width; ++j) a[j] *= damping_;
  if (trend_ == Trend::linear)
    for (std::size_t j = 0; j < width; ++j) a[j] += a[width + j];
  for (std::size_t i = 0; i < seasons_.size(); ++i) {
    double* block = a + observed_[i + 1] * width;
    const std::size_t entries = seasons_[i] - 1;
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
    double* block = a + observed_[i + 1];
    const std::size_t entries = seasons_[i] - 1;
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
