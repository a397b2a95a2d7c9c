#include "mbnn/sample/langevin.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "mbnn/core/error.h"
#include "mbnn/core/rng.h"

namespace mbnn {

namespace {

constexpr std::size_t kChunk = 4096;  // weights that share a stream of random numbers

// Pairs of normal draws by the polar method.
void fill_normal(std::span<float> values, Rng& rng) {
  for (std::size_t i = 0; i < values.size();) {
    const double x = 2 * rng.uniform() - 1, y = 2 * rng.uniform() - 1, s = x * x + y * y;
    if (!(s < 1 && s > 0)) continue;
    const double factor = std::sqrt(-2 * std::log(s) / s);
    values[i++] = static_cast<float>(x * factor);
    if (i < values.size()) values[i++] = static_cast<float>(y * factor);
  }
}

}  // namespace

void move_weights(const WeightMove& move, std::span<const float> gradient, std::span<float> weights,
                  WeightMemory& memory, std::uint64_t seed) {
  const bool moving = move.kind == WeightMove::Kind::sghmc;
  const auto prepare = [&](std::vector<float>& values) {
    if (values.empty()) values.assign(weights.size(), 0.0f);
    if (values.size() != weights.size()) throw Error("the memory of the weights is not that of these weights");
  };
  if (move.precondition) prepare(memory.squares);
  if (moving) prepare(memory.velocity);
  const auto over_n = static_cast<float>(1 / move.images), step = static_cast<float>(move.step_size);
  const auto decay = static_cast<float>(kSquaresDecay), regular = static_cast<float>(kSquaresRegular);
  const auto correction = static_cast<float>(1 / move.correction);
  const auto noise = static_cast<float>(
      std::sqrt(2 * (moving ? move.friction : 1.0) * move.step_size * move.temperature / move.images));
  const auto keep = static_cast<float>(1 - move.friction);
  const auto chunks = static_cast<std::ptrdiff_t>((weights.size() + kChunk - 1) / kChunk);
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t c = 0; c < chunks; ++c) {
    const std::size_t first = static_cast<std::size_t>(c) * kChunk, count = std::min(kChunk, weights.size() - first);
    std::array<float, kChunk> normal;
    Rng rng(seed, static_cast<std::uint64_t>(c));
    fill_normal({normal.data(), count}, rng);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = first + k;
      const float g = gradient[i] * over_n;
      float metric = 1;
      if (move.precondition) {
        float& square = memory.squares[i];
        square = decay * square + (1 - decay) * g * g;
        metric = 1 / (std::sqrt(square * correction) + regular);
      }
      float change = step * metric * g + noise * std::sqrt(metric) * normal[k];
      if (moving) change = memory.velocity[i] = keep * memory.velocity[i] + change;
      weights[i] += change;
    }
  }
}

}  // namespace mbnn
