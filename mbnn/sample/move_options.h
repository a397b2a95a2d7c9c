// What can be chosen about moves: options alone, so that a configuration costs nothing of the moves themselves.
#pragma once

#include <array>
#include <cstddef>

namespace mbnn {

// How nodes are chosen for birth and death (selection.h): (a) uniform; (b) reciprocal: exp(-|d| / 2); (c) linear:
// exp(+d / 2) for birth, exp(-d / 2) for death, with d the derivative of the log-likelihood by the gate.
enum class Rule { uniform, reciprocal, linear };
constexpr auto enum_names(Rule) { return std::array{"uniform", "reciprocal", "linear"}; }

struct BirthDeathOptions {
  Rule birth = Rule::uniform;
  Rule death = Rule::reciprocal;
  std::size_t max_flips = 1;    // N_max; the paper has 3, but moves of several nodes are hardly ever accepted
  std::size_t candidates = 32;  // inactive nodes that an informed birth chooses from; 0 = all of them
};

// How births and deaths on mini-batches are accepted (batch_acceptance.h).
enum class MaskTest { plain, mhbt, tuna, sequential };
constexpr auto enum_names(MaskTest) { return std::array{"plain", "mhbt", "tuna", "sequential"}; }

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
