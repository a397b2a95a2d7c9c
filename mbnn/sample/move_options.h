// What can be chosen about moves: options alone, so that a configuration costs nothing of the moves themselves.
#pragma once

#include <array>

namespace mbnn {

struct StepSchedule {
  enum class Kind { constant, cosine, polynomial };
  Kind kind = Kind::constant;
  double initial = 0.1;
  double decay = 0.55;  // polynomial: step = initial * (1 + t / horizon * 100)^-decay
  // Step size at progress t in [0, 1] of the whole run. The cosine ends at a tenth of its start.
  double at(double progress) const;
};
constexpr auto enum_names(StepSchedule::Kind) { return std::array{"constant", "cosine", "polynomial"}; }

// A Langevin move of many weights (langevin.h).
struct WeightMove {
  enum class Kind { sgld, sghmc };
  Kind kind = Kind::sgld;
  bool precondition = true;
  double step_size = 1e-3;  // e, of the log posterior over n
  double temperature = 1;   // T
  double friction = 0.1;    // a
  double images = 1;        // n
  double correction = 1;    // v is divided by it: the share of its weights that has been seen
};
constexpr auto enum_names(WeightMove::Kind) { return std::array{"sgld", "sghmc"}; }

}  // namespace mbnn
