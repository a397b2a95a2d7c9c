// The contract between weight samplers and densities: samplers know no networks, densities never move.
#pragma once

#include <concepts>
#include <span>

namespace mbnn {

// What a weight sampler needs of a density: a flat span of weights, log p, and its gradient. Networks have floats.
template <class D, class Real = float>
concept WeightDensity = requires(D density, std::span<const Real> weights, std::span<Real> gradient) {
  { density.log_density(weights) } -> std::convertible_to<double>;
  { density.log_density_and_gradient(weights, gradient) } -> std::convertible_to<double>;
  density.gradient(weights, gradient);
};

}  // namespace mbnn
