// Numbers that a prior or a step can be made of.
#pragma once

#include <cmath>

namespace mbnn {

// Refuses infinity and what is no number, which JSON cannot store.
inline bool positive(double value) { return value > 0 && std::isfinite(value); }

}  // namespace mbnn
