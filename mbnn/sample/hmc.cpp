#include "mbnn/sample/hmc.h"

namespace mbnn::detail {

void draw_momentum(std::span<const float> inverse_mass, std::span<float> momentum, Rng& rng) {
  for (std::size_t i = 0; i < momentum.size(); ++i)
    momentum[i] = static_cast<float>(rng.normal() / std::sqrt(static_cast<double>(inverse_mass[i])));
}

double kinetic_energy(std::span<const float> inverse_mass, std::span<const float> momentum) {
  double sum = 0;
  for (std::size_t i = 0; i < momentum.size(); ++i)
    sum += static_cast<double>(inverse_mass[i]) * momentum[i] * momentum[i];
  return 0.5 * sum;
}

void kick(std::span<float> momentum, std::span<const float> gradient, float scale) {
  for (std::size_t i = 0; i < momentum.size(); ++i) momentum[i] += scale * gradient[i];
}

void drift(std::span<float> position, std::span<const float> inverse_mass, std::span<const float> momentum,
           float scale) {
  for (std::size_t i = 0; i < position.size(); ++i) position[i] += scale * inverse_mass[i] * momentum[i];
}

}  // namespace mbnn::detail
