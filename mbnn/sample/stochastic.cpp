#include "mbnn/sample/stochastic.h"

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

void Sgld::move(std::span<float> weights, std::span<const float> inverse_mass, double step_size, double temperature,
                Rng& rng) {
  const double half = step_size * step_size / 2, noise = step_size * std::sqrt(temperature);
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] += static_cast<float>(half * inverse_mass[i] * gradient_[i] +
                                     noise * std::sqrt(static_cast<double>(inverse_mass[i])) * rng.normal());
}

void Sghmc::draw_velocity(std::vector<float>& velocity, std::span<const float> inverse_mass, double step_size,
                          double temperature, Rng& rng) const {
  velocity.resize(inverse_mass.size());
  const double scale = step_size * std::sqrt(temperature);
  for (std::size_t i = 0; i < velocity.size(); ++i)
    velocity[i] = static_cast<float>(scale * std::sqrt(static_cast<double>(inverse_mass[i])) * rng.normal());
}

void Sghmc::move(std::span<float> weights, std::span<float> velocity, std::span<const float> inverse_mass,
                 double step_size, double friction, double temperature, Rng& rng) {
  const double square = step_size * step_size, noise = step_size * std::sqrt(2 * friction * temperature);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    velocity[i] = static_cast<float>((1 - friction) * velocity[i] + square * inverse_mass[i] * gradient_[i] +
                                     noise * std::sqrt(static_cast<double>(inverse_mass[i])) * rng.normal());
    weights[i] += velocity[i];
  }
}

}  // namespace mbnn
