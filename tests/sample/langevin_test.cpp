// Langevin moves against normal distributions, whose discretised dynamics have known variances.
#include "mbnn/sample/langevin.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mbnn/core/error.h"
#include "tests/support/batch_means.h"

namespace mbnn {
namespace {

double variance_of(std::span<const float> values) {
  double squares = 0;
  for (float v : values) squares += static_cast<double>(v) * v;
  return squares / static_cast<double>(values.size());
}

// Of a variance around 0 that was estimated by so many independent normal values. |z| < 4: false alarm 6e-5.
double z_of_variance(std::span<const float> values, double expected) {
  return (variance_of(values) / expected - 1) * std::sqrt(static_cast<double>(values.size()) / 2);
}

// w ~ N(0, 4), tempered. Langevin dynamics of a normal has 1 / (1 - s²/4) of the exact variance, here 1.023;
// Hamiltonian 1 / (1 - s²/(2(2 - a))), here 1.0026.
TEST(Langevin, VariancesOfANormal) {
  const std::vector<float> metric{4.0f};
  const std::size_t length = 400000;
  for (double temperature : {1.0, 0.25})
    for (bool momentum : {false, true}) {
      Rng rng(7);
      const LangevinStep step = momentum ? LangevinStep::sghmc_of_length(0.1, temperature, 0.1)
                                         : LangevinStep::sgld_of_length(0.3, temperature);
      std::vector<float> w{0.0f}, velocity(momentum ? 1 : 0, 0.0f);
      BatchMeans squares(1);
      for (std::size_t i = 0; i < length; ++i) {
        const std::vector<float> gradient{-w[0] / 4};
        move_weights(step, gradient, metric, w, velocity, rng);
        const double square[] = {static_cast<double>(w[0]) * w[0]};
        squares.add(i, length, square);
      }
      const double bias = momentum ? 1 / (1 - 0.01 / (2 * 1.9)) : 1 / (1 - 0.0225);
      EXPECT_LT(std::abs(squares.z(0, 4 * temperature * bias)), 4) << momentum << " at " << temperature;
    }
}

// Without a gradient v = (1 - a) v + s sqrt(2 a T G) ξ has the variance s² T G / (1 - a / 2): by itself after many
// steps, when drawn, and after a change of step and metric. Each of 100,000 weights is a run of its own.
// Seen to fail: velocities drawn with s² T G, as they once were; kept as they are when G changes.
TEST(Langevin, VelocitiesKeepTheirStationaryVariance) {
  const double temperature = 0.7;
  const std::size_t count = 100000;
  const std::vector<float> none(count, 0.0f), metric(count, 2.5f), wider(count, 9.0f);
  for (double friction : {0.5, 1.0}) {
    SCOPED_TRACE(friction);
    const double expected = 0.2 * 0.2 * temperature * 2.5 / (1 - friction / 2);
    const LangevinStep step = LangevinStep::sghmc_of_length(0.2, temperature, friction);
    Rng rng(11);
    std::vector<float> weights(count), velocity(count, 0.0f);
    for (int i = 0; i < 40; ++i) move_weights(step, none, metric, weights, velocity, rng);  // forgets 0: 0.5^40
    EXPECT_LT(std::abs(z_of_variance(velocity, expected)), 4);

    std::vector<float> drawn(count);
    draw_velocity(drawn, temperature, friction, rng);
    start_velocity(step, metric, drawn);
    EXPECT_LT(std::abs(z_of_variance(drawn, expected)), 4);

    rest_velocity(step, metric, velocity);
    const LangevinStep longer = LangevinStep::sghmc_of_length(0.3, temperature, friction);
    start_velocity(longer, wider, velocity);
    EXPECT_LT(std::abs(z_of_variance(velocity, 0.3 * 0.3 * temperature * 9 / (1 - friction / 2))), 4);
  }
}

TEST(Langevin, LengthsAreStepsInOtherUnits) {
  const auto same = [](const LangevinStep& a, const LangevinStep& b) {
    EXPECT_NEAR(a.drift, b.drift, 1e-15);
    EXPECT_NEAR(a.noise, b.noise, 1e-15);
    EXPECT_EQ(a.keep, b.keep);
    EXPECT_EQ(a.momentum, b.momentum);
  };
  same(LangevinStep::sgld_of_length(0.3, 0.7), LangevinStep::sgld(0.045, 0.7));
  same(LangevinStep::sghmc_of_length(0.3, 0.7, 0.2), LangevinStep::sghmc(0.09, 0.7, 0.2));
}

TEST(Langevin, RefusesLengthsThatDiffer) {
  Rng rng(1);
  std::vector<float> two(2), three(3), none;
  const LangevinStep step = LangevinStep::sgld(0.1, 1), moving = LangevinStep::sghmc(0.1, 1, 0.1);
  EXPECT_THROW(move_weights(step, three, two, two, none, rng), Error);
  EXPECT_THROW(move_weights(step, two, three, two, none, rng), Error);
  EXPECT_THROW(move_weights(moving, two, two, two, none, rng), Error);
  EXPECT_THROW(move_weights(step, two, two, two, two, rng), Error);
  WeightMemory memory{{}, three};
  EXPECT_THROW(move_weights({WeightMove::Kind::sghmc, false}, two, two, memory, 1), Error);
}

// Normal target: w ~ N(0, 1 / n) at T = 1 has the gradient -n w of its log density. 4000 independent weights.
// Seen to fail with noise of half the variance.
TEST(WeightMoves, KeepTheDistributionThatTheyAreFor) {
  for (const auto kind : {WeightMove::Kind::sgld, WeightMove::Kind::sghmc}) {
    const double n = 100, temperature = 0.5;
    std::vector<float> weights(4000, 0.0f), gradient(weights.size());
    WeightMemory memory;
    const WeightMove move{kind, false, kind == WeightMove::Kind::sgld ? 0.02 : 0.002, temperature, 0.1, n, 1};
    for (std::uint64_t t = 0; t < 600; ++t) {
      for (std::size_t i = 0; i < weights.size(); ++i) gradient[i] = static_cast<float>(-n) * weights[i];
      move_weights(move, gradient, weights, memory, 1000 + t);
    }
    double sum = 0;
    for (float w : weights) sum += w;
    // Discretisation adds a percent; the chance error is sqrt(2 / 4000) = 2.2%. Five of those.
    EXPECT_NEAR(variance_of(weights) * n / temperature, 1, 0.12);
    EXPECT_NEAR(sum / static_cast<double>(weights.size()), 0, 5 * std::sqrt(temperature / n / 4000));
  }
}

// Threads share weights out in chunks, each with random numbers of its own. Without a gradient a move is its noise:
// weights that are 4,096 places apart, as chunks are, or 1 have unrelated ones, to five standard errors.
// Seen to fail with the same numbers for each chunk.
TEST(WeightMoves, NoiseDoesNotRepeat) {
  const std::size_t chunk = 4096, count = 3 * chunk;
  std::vector<float> weights(count, 0.0f);
  const std::vector<float> gradient(count, 0.0f);
  WeightMemory memory;
  move_weights({WeightMove::Kind::sgld, false, 0.5, 1, 0.1, 1, 1}, gradient, weights, memory, 3);
  EXPECT_LT(std::abs(z_of_variance(weights, 1)), 4);
  for (const std::size_t apart : {std::size_t{1}, chunk, 2 * chunk}) {
    double products = 0;
    for (std::size_t i = apart; i < count; ++i) products += static_cast<double>(weights[i]) * weights[i - apart];
    EXPECT_LT(std::abs(products), 5 * std::sqrt(static_cast<double>(count - apart))) << apart;
  }
}

// From the formulas at their declaration. Seen to fail with a cosine that ends at 0.
TEST(StepSchedule, ByHand) {
  using Kind = StepSchedule::Kind;
  const StepSchedule constant{Kind::constant, 0.2}, cosine{Kind::cosine, 0.2}, polynomial{Kind::polynomial, 0.2, 0.5};
  EXPECT_EQ(constant.at(0.7), 0.2);
  EXPECT_NEAR(cosine.at(0), 0.2, 1e-15);
  EXPECT_NEAR(cosine.at(0.5), 0.11, 1e-15);
  EXPECT_NEAR(cosine.at(1), 0.02, 1e-15);
  EXPECT_NEAR(polynomial.at(0), 0.2, 1e-15);
  EXPECT_NEAR(polynomial.at(0.08), 0.2 / 3, 1e-15);
}

}  // namespace
}  // namespace mbnn
