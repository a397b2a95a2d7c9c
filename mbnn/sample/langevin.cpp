#include "mbnn/sample/langevin.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "mbnn/core/error.h"

namespace mbnn {

namespace {

// The equations of the header for one weight. Real is the arithmetic: a table's weights are few and take double, those
// of images millions, of which float handles twice as many at a time.
template <class Real>
struct Move {
  explicit Move(const LangevinStep& step)
      : drift(static_cast<Real>(step.drift)),
        noise(static_cast<Real>(step.noise)),
        keep(static_cast<Real>(step.keep)) {}

  Real change(Real metric, Real g, Real normal) const {
    return drift * metric * g + noise * std::sqrt(metric) * normal;
  }

  Real drift, noise, keep;
};

void require_lengths(std::size_t have, std::size_t wanted) {
  if (have != wanted) throw Error("what is kept beside the weights is not that of these weights");
}

}  // namespace

LangevinStep LangevinStep::sgld(double step_size, double temperature, double n) {
  return {step_size, std::sqrt(2 * step_size * temperature / n)};
}

LangevinStep LangevinStep::sghmc(double step_size, double temperature, double friction, double n) {
  return {step_size, std::sqrt(2 * friction * step_size * temperature / n), true, 1 - friction};
}

// sqrt(2 e T) by way of e would round differently from the steps of fits that were begun earlier.
LangevinStep LangevinStep::sgld_of_length(double length, double temperature) {
  return {length * length / 2, length * std::sqrt(temperature)};
}

LangevinStep LangevinStep::sghmc_of_length(double length, double temperature, double friction) {
  return {length * length, length * std::sqrt(2 * friction * temperature), true, 1 - friction};
}

void move_weights(const LangevinStep& step, std::span<const float> gradient, std::span<const float> metric,
                  std::span<float> weights, std::span<float> velocity, Rng& rng) {
  require_lengths(metric.size(), weights.size());
  require_lengths(gradient.size(), weights.size());
  require_lengths(velocity.size(), step.momentum ? weights.size() : 0);
  const Move<double> move(step);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double change = move.change(metric[i], gradient[i], rng.normal());
    if (step.momentum)
      weights[i] += velocity[i] = static_cast<float>(move.keep * velocity[i] + change);
    else
      weights[i] += static_cast<float>(change);
  }
}

void draw_velocity(std::span<float> velocity, double temperature, double friction, Rng& rng) {
  const double sd = std::sqrt(temperature / (1 - friction / 2));
  for (float& v : velocity) v = static_cast<float>(sd * rng.normal());
}

void start_velocity(const LangevinStep& step, std::span<const float> metric, std::span<float> velocity) {
  require_lengths(velocity.size(), metric.size());
  for (std::size_t i = 0; i < velocity.size(); ++i)
    velocity[i] = static_cast<float>(velocity[i] * std::sqrt(step.drift * metric[i]));
}

void rest_velocity(const LangevinStep& step, std::span<const float> metric, std::span<float> velocity) {
  require_lengths(velocity.size(), metric.size());
  for (std::size_t i = 0; i < velocity.size(); ++i)
    velocity[i] = static_cast<float>(velocity[i] / std::sqrt(step.drift * metric[i]));
}

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

void move_weights(const WeightMove& options, std::span<const float> gradient, std::span<float> weights,
                  WeightMemory& memory, std::uint64_t seed) {
  const bool momentum = options.kind == WeightMove::Kind::sghmc;
  const auto prepare = [&](std::vector<float>& values) {
    if (values.empty()) values.assign(weights.size(), 0.0f);
    require_lengths(values.size(), weights.size());
  };
  if (options.precondition) prepare(memory.squares);
  if (momentum) prepare(memory.velocity);
  const Move<float> move(
      momentum ? LangevinStep::sghmc(options.step_size, options.temperature, options.friction, options.images)
               : LangevinStep::sgld(options.step_size, options.temperature, options.images));
  const auto over_n = static_cast<float>(1 / options.images);
  const auto decay = static_cast<float>(kSquaresDecay), regular = static_cast<float>(kSquaresRegular);
  const auto correction = static_cast<float>(1 / options.correction);
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
      if (options.precondition) {
        float& square = memory.squares[i];
        square = decay * square + (1 - decay) * g * g;
        metric = 1 / (std::sqrt(square * correction) + regular);
      }
      float change = move.change(metric, g, normal[k]);
      if (momentum) change = memory.velocity[i] = move.keep * memory.velocity[i] + change;
      weights[i] += change;
    }
  }
}

}  // namespace mbnn
