// Langevin dynamics (Welling and Teh 2011) and Hamiltonian dynamics with friction (Chen, Fox and Guestrin 2014), whose
// gradients may come from mini-batches.
//
// With g the gradient of the log posterior, e the step, G the diagonal of a metric (of inverse masses), T the
// temperature and a the friction:
//   sgld    w += e G g + sqrt(2 e T G) ξ
//   sghmc   v = (1 - a) v + e G g + sqrt(2 a e T G) ξ,  w += v
// The distribution that they follow for small e is the posterior to the power 1 / T. As is usual (Li et al. 2016), the
// term that a change of G along the way would add is left out.
//
// What users choose as a step is e in other units:
//   tables   a length s, as that of a leapfrog step: e = s² / 2 for sgld, which is one leapfrog step with a new
//            momentum, and e = s² for sghmc, whose velocity is s times a momentum
//   images   the step of the mean loss: e times n, the number of images
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mbnn/core/rng.h"
#include "mbnn/sample/move_options.h"

namespace mbnn {

// The factors in the equations above.
struct LangevinStep {
  double drift = 0;       // e
  double noise = 0;       // of sqrt(G) ξ
  bool momentum = false;  // sghmc
  double keep = 0;        // ... 1 - a

  // By e, of the log posterior over n.
  static LangevinStep sgld(double step_size, double temperature, double n = 1);
  static LangevinStep sghmc(double step_size, double temperature, double friction, double n = 1);
  // By the length s, as tables have it.
  static LangevinStep sgld_of_length(double length, double temperature);
  static LangevinStep sghmc_of_length(double length, double temperature, double friction);
};

// One step, in double, with noise from one stream. `metric` is G; `velocity` is that of sghmc and empty for sgld.
void move_weights(const LangevinStep& step, std::span<const float> gradient, std::span<const float> metric,
                  std::span<float> weights, std::span<float> velocity, Rng& rng);

// Between steps a velocity is at rest in units of sqrt(e G). Its stationary distribution then is normal with the
// variance T / (1 - a / 2) for every e and G, both of which may change before the next step: only then does a change of
// G, such as a new noise variance brings, leave the joint distribution of weights and velocity as it is.
//
// The variance without a gradient: v = (1 - a) v + sqrt(2 a e T G) ξ has 2 a e T G / (1 - (1 - a)²).
void draw_velocity(std::span<float> velocity, double temperature, double friction, Rng& rng);  // at rest
void start_velocity(const LangevinStep& step, std::span<const float> metric, std::span<float> velocity);
void rest_velocity(const LangevinStep& step, std::span<const float> metric, std::span<float> velocity);

// What is stored beside each weight by the moves below; `velocity` stays empty for sgld, `squares` without a
// preconditioner.
struct WeightMemory {
  std::vector<float> squares, velocity;
};

inline constexpr double kSquaresDecay = 0.99;
inline constexpr double kSquaresRegular = 1e-7;

// One step of very many weights, in float on all threads, with the same bits for any number of them: noise depends on
// `seed` and the places of the weights alone. `gradient` is that of the log posterior; g above becomes its n-th part,
// and e the step of the mean loss. With a preconditioner G is 1 / (sqrt(v) + regular), v the mean squares of g over
// about 100 batches.
void move_weights(const WeightMove& move, std::span<const float> gradient, std::span<float> weights,
                  WeightMemory& memory, std::uint64_t seed);

}  // namespace mbnn
