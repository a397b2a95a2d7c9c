// Numbers that a prior, a step or a state can be made of.
#pragma once

#include <algorithm>
#include <cmath>

namespace mbnn {

// Refuses infinity and what is no number, which JSON cannot store.
inline bool positive(double value) { return value > 0 && std::isfinite(value); }

template <class Values>
bool all_finite(const Values& values) {
  return std::all_of(values.begin(), values.end(), [](auto value) { return std::isfinite(value); });
}

}  // namespace mbnn
