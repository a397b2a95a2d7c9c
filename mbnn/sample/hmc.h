// Hamiltonian Monte Carlo with a fixed number of leapfrog steps on a flat span of weights; knows nothing of networks.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "mbnn/core/rng.h"
#include "mbnn/sample/weight_density.h"

namespace mbnn {

struct TrajectoryInfo {
  double accept_probability = 0;
  bool accepted = false;
  bool diverged = false;
  std::size_t steps = 0;
};

// An energy error past this limit means that the integrator has left the level set. NaN counts, too.
inline constexpr double kDivergence = 1000;

namespace detail {

void draw_momentum(std::span<const float> inverse_mass, std::span<float> momentum, Rng& rng);
double kinetic_energy(std::span<const float> inverse_mass, std::span<const float> momentum);
// momentum += scale * gradient
void kick(std::span<float> momentum, std::span<const float> gradient, float scale);
// position += scale * inverse_mass * momentum
void drift(std::span<float> position, std::span<const float> inverse_mass, std::span<const float> momentum,
           float scale);

}  // namespace detail

class Hmc {
 public:
  // Moves `weights` by one trajectory and leaves the density's law invariant.
  template <WeightDensity D>
  TrajectoryInfo step(D& density, std::vector<float>& weights, std::span<const float> inverse_mass, double step_size,
                      std::size_t steps, Rng& rng) {
    using namespace detail;
    momentum_.resize(weights.size());
    gradient_.resize(weights.size());
    position_ = weights;
    const float e = static_cast<float>(step_size);
    draw_momentum(inverse_mass, momentum_, rng);
    const double before =
        -density.log_density_and_gradient(position_, gradient_) + kinetic_energy(inverse_mass, momentum_);
    kick(momentum_, gradient_, e / 2);
    for (std::size_t i = 1; i < steps; ++i) {
      drift(position_, inverse_mass, momentum_, e);
      density.gradient(position_, gradient_);
      kick(momentum_, gradient_, e);
    }
    drift(position_, inverse_mass, momentum_, e);
    const double log_density = density.log_density_and_gradient(position_, gradient_);
    kick(momentum_, gradient_, e / 2);
    const double error = -log_density + kinetic_energy(inverse_mass, momentum_) - before;
    TrajectoryInfo info;
    info.steps = steps;
    info.diverged = !(error < kDivergence);  // also true for NaN, which std::min would turn into acceptance
    info.accept_probability = info.diverged ? 0 : std::exp(std::min(0.0, -error));
    info.accepted = rng.uniform() < info.accept_probability;
    if (info.accepted) std::swap(weights, position_);
    return info;
  }

  // The gradient at the end of the last trajectory, accepted or not.
  std::span<const float> last_gradient() const { return gradient_; }

 private:
  std::vector<float> momentum_, gradient_, position_;
};

}  // namespace mbnn
