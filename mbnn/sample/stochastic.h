// Stochastic gradient samplers on mini-batches: Langevin dynamics and Hamiltonian dynamics with friction.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "mbnn/core/rng.h"
#include "mbnn/sample/weight_density.h"

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

// w += e²/2 M⁻¹ ∇ + e sqrt(T) M^-½ ξ (Welling and Teh 2011).
class Sgld {
 public:
  template <WeightDensity D>
  void step(D& density, std::vector<float>& weights, std::span<const float> inverse_mass, double step_size,
            double temperature, Rng& rng) {
    gradient_.resize(weights.size());
    density.gradient(weights, gradient_);
    move(weights, inverse_mass, step_size, temperature, rng);
  }
  std::span<const float> last_gradient() const { return gradient_; }

 private:
  void move(std::span<float> weights, std::span<const float> inverse_mass, double step_size, double temperature,
            Rng& rng);
  std::vector<float> gradient_;
};

// v = (1 - a) v + e² M⁻¹ ∇ + sqrt(2 a T) e M^-½ ξ, w += v (Chen, Fox and Guestrin 2014, with friction a).
class Sghmc {
 public:
  template <WeightDensity D>
  void step(D& density, std::vector<float>& weights, std::vector<float>& velocity, std::span<const float> inverse_mass,
            double step_size, double friction, double temperature, Rng& rng) {
    gradient_.resize(weights.size());
    velocity.resize(weights.size());
    density.gradient(weights, gradient_);
    move(weights, velocity, inverse_mass, step_size, friction, temperature, rng);
  }
  // A velocity from its stationary law: needed at the start and whenever nodes have come or gone.
  void draw_velocity(std::vector<float>& velocity, std::span<const float> inverse_mass, double step_size,
                     double temperature, Rng& rng) const;
  std::span<const float> last_gradient() const { return gradient_; }

 private:
  void move(std::span<float> weights, std::span<float> velocity, std::span<const float> inverse_mass, double step_size,
            double friction, double temperature, Rng& rng);
  std::vector<float> gradient_;
};

}  // namespace mbnn
