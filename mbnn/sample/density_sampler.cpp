#include "mbnn/sample/density_sampler.h"

#include <algorithm>

namespace mbnn {

void DensitySamplerOptions::check() const {
  require(draws >= 1, "draws", draws, "must be at least 1");
  require(target_accept > 0 && target_accept < 1, "target_accept", target_accept, "must be between 0 and 1");
  require(max_depth >= 1 && max_depth <= 20, "max_depth", max_depth, "must be from 1 to 20");
  require(leapfrog_steps >= 1, "leapfrog_steps", leapfrog_steps, "must be at least 1");
}

WindowedMetric::WindowedMetric(std::size_t coordinates, std::size_t warmup)
    : begin_(std::max<std::size_t>(20, warmup / 8)),
      end_(warmup - warmup / 12),
      length_(25),
      next_(begin_ + length_),
      mean_(coordinates),
      squares_(coordinates),
      inverse_mass_(coordinates, 1.0) {
  require(coordinates >= 1, "start", coordinates, "must have at least one coordinate");
}

bool WindowedMetric::learn(std::size_t iteration, std::span<const double> position) {
  if (iteration < begin_ || iteration >= end_) return false;
  ++count_;
  for (std::size_t j = 0; j < position.size(); ++j) {  // Welford's sums
    const double before = position[j] - mean_[j];
    mean_[j] += before / count_;
    squares_[j] += before * (position[j] - mean_[j]);
  }
  // A window too short to be followed by another of twice its length goes on to the end.
  const bool last = next_ + 2 * length_ > end_;
  if (iteration + 1 != (last ? end_ : next_)) return false;
  for (std::size_t j = 0; j < position.size(); ++j) {
    // A little towards 1e-3 times what it was, so that a coordinate that stood still does not freeze.
    const double variance = squares_[j] / std::max(1.0, count_ - 1);
    inverse_mass_[j] = (count_ * variance + 5 * 1e-3 * inverse_mass_[j]) / (count_ + 5);
    mean_[j] = squares_[j] = 0;
  }
  count_ = 0;
  length_ *= 2;
  next_ += length_;
  return true;
}

}  // namespace mbnn
