// Hamiltonian Monte Carlo with a fixed number of leapfrog steps on a flat span of weights; knows nothing of networks.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "mbnn/core/error.h"
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

// The parts of the leapfrog integrator, and its momenta.
template <class Real>
struct Leapfrog {
  using In = std::span<const Real>;
  using Out = std::span<Real>;

  static void draw_momentum(In inverse_mass, Out momentum, Rng& rng) {
    for (std::size_t i = 0; i < momentum.size(); ++i)
      momentum[i] = static_cast<Real>(rng.normal() / std::sqrt(static_cast<double>(inverse_mass[i])));
  }
  static double kinetic_energy(In inverse_mass, In momentum) {
    double sum = 0;
    for (std::size_t i = 0; i < momentum.size(); ++i)
      sum += static_cast<double>(inverse_mass[i]) * momentum[i] * momentum[i];
    return 0.5 * sum;
  }
  // momentum += scale * gradient
  static void kick(Out momentum, In gradient, Real scale) {
    for (std::size_t i = 0; i < momentum.size(); ++i) momentum[i] += scale * gradient[i];
  }
  // position += scale * inverse_mass * momentum
  static void drift(Out position, In inverse_mass, In momentum, Real scale) {
    for (std::size_t i = 0; i < position.size(); ++i) position[i] += scale * inverse_mass[i] * momentum[i];
  }
};

inline void require_masses(std::size_t weights, std::size_t masses) {
  require(masses == weights, "inverse_mass", masses, fmt::format("expected one for each of {} weights", weights));
}

template <class Real>
class BasicHmc {
 public:
  // Moves `weights` by one trajectory and leaves the density's law invariant.
  template <WeightDensity<Real> D>
  TrajectoryInfo step(D& density, std::vector<Real>& weights, std::span<const Real> inverse_mass, double step_size,
                      std::size_t steps, Rng& rng) {
    using L = Leapfrog<Real>;
    require_masses(weights.size(), inverse_mass.size());
    momentum_.resize(weights.size());
    gradient_.resize(weights.size());
    position_ = weights;
    const Real e = static_cast<Real>(step_size);
    L::draw_momentum(inverse_mass, momentum_, rng);
    const double before =
        -density.log_density_and_gradient(position_, gradient_) + L::kinetic_energy(inverse_mass, momentum_);
    L::kick(momentum_, gradient_, e / 2);
    for (std::size_t i = 1; i < steps; ++i) {
      L::drift(position_, inverse_mass, momentum_, e);
      density.gradient(position_, gradient_);
      L::kick(momentum_, gradient_, e);
    }
    L::drift(position_, inverse_mass, momentum_, e);
    const double log_density = density.log_density_and_gradient(position_, gradient_);
    L::kick(momentum_, gradient_, e / 2);
    const double error = -log_density + L::kinetic_energy(inverse_mass, momentum_) - before;
    TrajectoryInfo info;
    info.steps = steps;
    info.diverged = !(error < kDivergence);  // also true for NaN, which std::min would turn into acceptance
    info.accept_probability = info.diverged ? 0 : std::exp(std::min(0.0, -error));
    info.accepted = rng.uniform() < info.accept_probability;
    if (info.accepted) std::swap(weights, position_);
    return info;
  }

  // The gradient at the end of the last trajectory, accepted or not.
  std::span<const Real> last_gradient() const { return gradient_; }

 private:
  std::vector<Real> momentum_, gradient_, position_;
};

using Hmc = BasicHmc<float>;

}  // namespace mbnn
