// Slice sampling of one real number, with stepping out (Neal 2003).
#pragma once

#include <cmath>

#include "mbnn/core/rng.h"

namespace mbnn {

// The density must vanish far out on both sides, or stepping out would not end.
template <class LogDensity>
double slice_sample(double x, double width, LogDensity log_density, Rng& rng) {
  const double level = log_density(x) - rng.exponential();
  double left = x - width * rng.uniform(), right = left + width;
  while (log_density(left) > level) left -= width;
  while (log_density(right) > level) right += width;
  while (right - left > 1e-12) {
    const double candidate = left + (right - left) * rng.uniform();
    if (log_density(candidate) > level) return candidate;
    (candidate < x ? left : right) = candidate;
  }
  return x;
}

}  // namespace mbnn
