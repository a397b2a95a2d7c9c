// Draws from a density of one's own: moments of a known law that floats could not hold, adaptation, refusals.
#include "mbnn/sample/density_sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/batch_means.h"

namespace mbnn {
namespace {

// A normal pair with correlation 0.6 and sds 0.01 and 100, the first of them at a million, where floats are 0.06 apart.
constexpr double kCentre = 1e6, kSd1 = 0.01, kSd2 = 100, kCorrelation = 0.6;

double far_pair(std::span<const double> x, std::span<double> gradient) {
  const double a = (x[0] - kCentre) / kSd1, b = x[1] / kSd2, c = 1 - kCorrelation * kCorrelation;
  gradient[0] = -(a - kCorrelation * b) / (c * kSd1);
  gradient[1] = -(b - kCorrelation * a) / (c * kSd2);
  return -(a * a - 2 * kCorrelation * a * b + b * b) / (2 * c);
}

// |z| < 4 for each of five moments: false alarm 6e-5 each. Caught: a metric of sds instead of variances is still right,
// so the acceptance and the metric have bounds of their own; momenta drawn with variance 1 / mass.
void expect_far_pair(const DensitySamplerOptions& options) {
  FunctionDensity density(far_pair);
  Rng rng(7, 0);
  const DensityDraws draws = sample_density(density, {kCentre + 0.02, -50}, options, rng);
  ASSERT_EQ(draws.positions.size(), options.draws);
  BatchMeans moments(5);
  for (std::size_t i = 0; i < options.draws; ++i) {
    const double a = (draws.positions[i][0] - kCentre) / kSd1, b = draws.positions[i][1] / kSd2;
    const double values[] = {a, b, a * a, b * b, a * b};
    moments.add(i, options.draws, values);
  }
  const double expected[] = {0, 0, 1, 1, kCorrelation};
  for (std::size_t f = 0; f < 5; ++f) {
    EXPECT_LT(std::abs(moments.z(f, expected[f])), 4) << "moment " << f;
    EXPECT_LT(moments.standard_error(f), 0.05) << "or the test sees nothing";
  }
  // The last window has some 400 draws: a variance is known to a sixth or better.
  EXPECT_NEAR(draws.inverse_mass[0] / (kSd1 * kSd1), 1, 0.5);
  EXPECT_NEAR(draws.inverse_mass[1] / (kSd2 * kSd2), 1, 0.5);
  // The averaged step is on the cautious side in two dimensions; without adaptation it is 0.1, and this .999.
  EXPECT_GT(draws.accept_probability, 0.7);
  EXPECT_LT(draws.accept_probability, 0.98);
  EXPECT_EQ(draws.divergences, 0u);
}

TEST(DensitySampler, NutsFindsScalesAndKeepsTheLaw) { expect_far_pair({.warmup = 1000, .draws = 10000}); }

TEST(DensitySampler, HmcFindsScalesAndKeepsTheLaw) {
  expect_far_pair({.kind = DensitySamplerOptions::Kind::hmc, .warmup = 1000, .draws = 10000, .leapfrog_steps = 8});
}

// The same seed gives the same draws, another one others.
TEST(DensitySampler, DependsOnTheSeedAlone) {
  FunctionDensity density(far_pair);
  auto last = [&](std::uint64_t seed) {
    Rng rng(seed, 0);
    return sample_density(density, {kCentre, 0}, {.warmup = 100, .draws = 10}, rng).positions.back();
  };
  EXPECT_EQ(last(1), last(1));
  EXPECT_NE(last(1), last(2));
}

// Windows of 25, 50, 100, ... iterations; the last one goes on to where the step size is left alone.
TEST(WindowedMetric, EndsItsWindowsWhereItSays) {
  WindowedMetric metric(1, 1200);
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < 1200; ++i)
    if (metric.learn(i, std::vector<double>{static_cast<double>(i % 2)})) ends.push_back(i + 1);
  EXPECT_EQ(ends, (std::vector<std::size_t>{175, 225, 325, 525, 1100}));
  EXPECT_NEAR(metric.inverse_mass()[0], 0.25, 0.01);  // of a fair coin
}

TEST(DensitySampler, RefusesWhatCannotBeSampled) {
  FunctionDensity density(far_pair);
  Rng rng(1, 0);
  EXPECT_THROW(sample_density(density, {std::numeric_limits<double>::infinity(), 0}, {}, rng), InputError);
  EXPECT_THROW(sample_density(density, {}, {}, rng), InputError);
  EXPECT_THROW(sample_density(density, {kCentre, 0}, {.target_accept = 1}, rng), InputError);
  BasicHmc<double> hmc;
  std::vector<double> position{kCentre, 0};
  EXPECT_THROW(hmc.step(density, position, std::vector<double>{1}, 0.1, 3, rng), InputError);
  BasicNuts<double> nuts;
  EXPECT_THROW(nuts.step(density, position, std::vector<double>{1, 1, 1}, 0.1, 3, rng), InputError);
}

}  // namespace
}  // namespace mbnn
