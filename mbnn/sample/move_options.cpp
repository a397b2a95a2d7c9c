#include "mbnn/sample/move_options.h"

#include <cmath>
#include <numbers>

namespace mbnn {

double StepSchedule::at(double progress) const {
  switch (kind) {
    case Kind::cosine:
      return initial * (0.1 + 0.45 * (1 + std::cos(std::numbers::pi * progress)));
    case Kind::polynomial:
      return initial * std::pow(1 + 100 * progress, -decay);
    default:
      return initial;
  }
}

}  // namespace mbnn
