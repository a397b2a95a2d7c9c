// Langevin and Hamiltonian moves of many weights at once on all threads, with the same bits for any number of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace mbnn {

// With g the gradient of the log posterior over n, the mean squares v of g over about 100 batches, and G the diagonal
// of a preconditioner, 1 or 1 / (sqrt(v) + regular):
//   sgld    w += e G g + sqrt(2 e T G / n) ξ
//   sghmc   u = (1 - a) u + e G g + sqrt(2 a e T G / n) ξ,  w += u
// The law that they follow for small e is the posterior to the power 1 / T. As is usual (Li et al. 2016), the term that
// the change of G would add is left out.
struct WeightMove {
  enum class Kind { sgld, sghmc };
  Kind kind = Kind::sgld;
  bool precondition = true;
  double step_size = 1e-3;  // e
  double temperature = 1;   // T
  double friction = 0.1;    // a
  double images = 1;        // n
  double correction = 1;    // v is divided by it: the share of its weights that has been seen
};
constexpr auto enum_names(WeightMove::Kind) { return std::array{"sgld", "sghmc"}; }

inline constexpr double kSquaresDecay = 0.99;
inline constexpr double kSquaresRegular = 1e-7;

// What is stored beside each weight; `velocity` stays empty for sgld, `squares` without a preconditioner.
struct WeightMemory {
  std::vector<float> squares, velocity;
};

// `gradient` is that of the log posterior, not over n. Noise depends on `seed` and the places of the weights alone.
void move_weights(const WeightMove& move, std::span<const float> gradient, std::span<float> weights,
                  WeightMemory& memory, std::uint64_t seed);

}  // namespace mbnn
