// The variance of many floats, summed in double.
#pragma once

#include <span>

namespace mbnn {

// Mean squared distance from the mean; 0 for no values.
inline double variance(std::span<const float> values) {
  if (values.empty()) return 0;
  double mean = 0, squares = 0;
  for (float v : values) mean += v;
  mean /= static_cast<double>(values.size());
  for (float v : values) squares += (v - mean) * (v - mean);
  return squares / static_cast<double>(values.size());
}

}  // namespace mbnn
