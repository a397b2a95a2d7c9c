// HMC and NUTS against laws with known moments, the integrator's physics, and adaptation.
#include <gtest/gtest.h>

#include <cmath>

#include "mbnn/sample/adapt.h"
#include "mbnn/sample/hmc.h"
#include "mbnn/sample/nuts.h"
#include "mbnn/sample/slice.h"
#include "mbnn/tables/chain.h"
#include "tests/support/batch_means.h"

namespace mbnn {
namespace {

// A correlated normal in two dimensions beside a Student t with 7 degrees: scales from 0.5 to 2, one heavy tail.
struct KnownLaw {
  static constexpr double rho = 0.7, s1 = 0.5, s2 = 2.0, nu = 7;

  double log_density(std::span<const float> w) {
    const double a = w[0] / s1, b = w[1] / s2, t = w[2];
    return -(a * a - 2 * rho * a * b + b * b) / (2 * (1 - rho * rho)) - (nu + 1) / 2 * std::log1p(t * t / nu);
  }
  void gradient(std::span<const float> w, std::span<float> g) {
    const double a = w[0] / s1, b = w[1] / s2, t = w[2], c = 1 - rho * rho;
    g[0] = static_cast<float>(-(a - rho * b) / (c * s1));
    g[1] = static_cast<float>(-(b - rho * a) / (c * s2));
    g[2] = static_cast<float>(-(nu + 1) * t / (nu + t * t));
  }
  double log_density_and_gradient(std::span<const float> w, std::span<float> g) {
    gradient(w, g);
    return log_density(w);
  }
};
static_assert(WeightDensity<KnownLaw>);

// |z| < 4 each: false alarm 6e-5 a moment. Caught when broken: momentum drawn with variance 1 / mass.
template <class Step>
void expect_known_moments(Step step, std::size_t length) {
  KnownLaw law;
  std::vector<float> w{0.3f, -1.0f, 0.5f};
  Rng rng(21);
  BatchMeans moments(8);
  for (std::size_t i = 0; i < length; ++i) {
    step(law, w, rng);
    const double a = w[0], b = w[1], t = w[2];
    const double values[] = {a, b, t, a * a, b * b, a * b, t * t, std::abs(t) > 2 ? 1.0 : 0.0};
    moments.add(i, length, values);
  }
  // P(|t| > 2) for 7 degrees of freedom, from the closed form of the distribution function.
  const double theta = std::atan(2 / std::sqrt(7.0)), c = std::cos(theta), s = std::sin(theta);
  const double inside = 2 / M_PI * (theta + s * (c + 2.0 / 3 * c * c * c + 8.0 / 15 * c * c * c * c * c));
  const double expected[] = {0, 0, 0, 0.25, 4, 0.7, 7.0 / 5, 1 - inside};
  for (std::size_t f = 0; f < 8; ++f) EXPECT_LT(std::abs(moments.z(f, expected[f])), 4) << "moment " << f;
}

TEST(Hmc, MomentsOfAKnownLaw) {
  Hmc hmc;
  const std::vector<float> inverse_mass{0.25f, 4.0f, 1.0f};
  expect_known_moments([&](KnownLaw& law, std::vector<float>& w,
                           Rng& rng) { hmc.step(law, w, inverse_mass, 0.4 + 0.2 * rng.uniform(), 4, rng); },
                       100000);
}

TEST(Hmc, LargeStepsStillLeaveTheLawInvariant) {
  Hmc hmc;  // acceptance near a half: an error in the acceptance would show
  const std::vector<float> inverse_mass{0.25f, 4.0f, 1.0f};
  expect_known_moments([&](KnownLaw& law, std::vector<float>& w,
                           Rng& rng) { hmc.step(law, w, inverse_mass, 0.9 + 0.2 * rng.uniform(), 2, rng); },
                       100000);
}

TEST(Nuts, MomentsOfAKnownLaw) {
  Nuts nuts;
  const std::vector<float> inverse_mass{0.25f, 1.0f, 1.0f};
  expect_known_moments([&](KnownLaw& law, std::vector<float>& w,
                           Rng& rng) { nuts.step(law, w, inverse_mass, 0.3 + 0.2 * rng.uniform(), 6, rng); },
                       60000);
}

// Long steps make the points of a trajectory differ in weight. Caught when broken: subtrees chosen by a fair coin.
TEST(Nuts, LargeStepsStillLeaveTheLawInvariant) {
  Nuts nuts;
  const std::vector<float> inverse_mass{0.25f, 4.0f, 1.0f};
  expect_known_moments([&](KnownLaw& law, std::vector<float>& w,
                           Rng& rng) { nuts.step(law, w, inverse_mass, 1.0 + 0.3 * rng.uniform(), 5, rng); },
                       200000);
}

// Forward, momentum flipped, forward again: back at the start.
TEST(Leapfrog, IsReversible) {
  KnownLaw law;
  Rng rng(3);
  std::vector<float> q{0.4f, -1.2f, 0.8f}, p{0.5f, 0.2f, -0.7f}, g(3);
  const std::vector<float> inverse_mass{0.25f, 4.0f, 1.0f};
  const auto start = q;
  auto run = [&] {
    for (int i = 0; i < 25; ++i) {
      law.gradient(q, g);
      Leapfrog<float>::kick(p, g, 0.05f);
      Leapfrog<float>::drift(q, inverse_mass, p, 0.1f);
      law.gradient(q, g);
      Leapfrog<float>::kick(p, g, 0.05f);
    }
  };
  run();
  for (auto& v : p) v = -v;
  run();
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(q[i], start[i], 1e-5);
}

// The energy error falls with the square of the step size.
TEST(Leapfrog, EnergyErrorIsOfSecondOrder) {
  auto error = [](double e) {
    KnownLaw law;
    std::vector<float> q{0.4f, -1.2f, 0.8f}, p{0.9f, 0.2f, -0.7f}, g(3);
    const std::vector<float> inverse_mass{1.0f, 1.0f, 1.0f};
    auto energy = [&] { return -law.log_density(q) + Leapfrog<float>::kinetic_energy(inverse_mass, p); };
    const double before = energy();
    const int steps = static_cast<int>(std::lround(0.6 / e));
    for (int i = 0; i < steps; ++i) {
      law.gradient(q, g);
      Leapfrog<float>::kick(p, g, static_cast<float>(e / 2));
      Leapfrog<float>::drift(q, inverse_mass, p, static_cast<float>(e));
      law.gradient(q, g);
      Leapfrog<float>::kick(p, g, static_cast<float>(e / 2));
    }
    return std::abs(energy() - before);
  };
  const double ratio = error(0.1) / error(0.05);
  EXPECT_GT(ratio, 3.2);
  EXPECT_LT(ratio, 4.8);
}

// Not-a-number never becomes acceptance, as std::min(0.0, NaN) would make it. Caught: error > limit as the test.
TEST(Hmc, NanIsADivergenceNotAnAcceptance) {
  struct Broken {
    double log_density(std::span<const float>) { return NAN; }
    void gradient(std::span<const float>, std::span<float> g) { g[0] = 0; }
    double log_density_and_gradient(std::span<const float> w, std::span<float> g) {
      gradient(w, g);
      return ++calls == 1 ? 0.0 : NAN;
    }
    int calls = 0;
  };
  Broken broken;
  Rng rng(4);
  std::vector<float> w{1.0f};
  const std::vector<float> inverse_mass{1.0f};
  const TrajectoryInfo info = Hmc().step(broken, w, inverse_mass, 0.1, 3, rng);
  EXPECT_TRUE(info.diverged);
  EXPECT_FALSE(info.accepted);
  EXPECT_EQ(w[0], 1.0f);
  broken.calls = 0;
  EXPECT_TRUE(Nuts().step(broken, w, inverse_mass, 0.1, 3, rng).diverged);
  EXPECT_EQ(w[0], 1.0f);
}

TEST(DualAveraging, FindsTheStepSizeForTheTarget) {
  KnownLaw law;
  Rng rng(5);
  DualAveraging step(0.001, 0.8);
  Hmc hmc;
  std::vector<float> w{0.1f, 0.1f, 0.1f};
  const std::vector<float> inverse_mass{0.25f, 4.0f, 1.0f};
  auto jitter = [&] { return 0.8 + 0.4 * rng.uniform(); };  // as the chains do
  for (int i = 0; i < 4000; ++i)
    step.update(hmc.step(law, w, inverse_mass, jitter() * step.step_size(), 3, rng).accept_probability);
  double sum = 0;
  for (int i = 0; i < 8000; ++i)
    sum += hmc.step(law, w, inverse_mass, jitter() * step.averaged_step_size(), 3, rng).accept_probability;
  EXPECT_NEAR(sum / 8000, 0.8, 0.05);
}

// The masses follow the noise and do not depend on which nodes are on, so births and deaths cannot break them.
TEST(GroupMetric, DependsOnGroupsAndNoiseOnly) {
  GroupMetric metric;
  metric.reset(2, 3);
  const Shape wide{{2, 4, 3, 1}}, narrow{{2, 2, 5, 1}};
  std::vector<float> gradient(wide.size());
  for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] = 1.0f + static_cast<float>(i % 7);
  metric.learn(wide, gradient, 0.5);
  std::vector<float> a, b, c;
  metric.inverse_mass(wide, 0.5, a);
  metric.inverse_mass(narrow, 0.5, b);
  metric.inverse_mass(narrow, 0.125, c);
  EXPECT_EQ(a[0], b[0]);                              // edges of input 1
  EXPECT_EQ(a[wide.widths[1]], b[narrow.widths[1]]);  // edges of input 2
  EXPECT_EQ(a[wide.offset(1)], b[narrow.offset(1)]);  // edges of the second map
  EXPECT_EQ(a.back(), b.back());                      // the last bias
  for (std::size_t i = 0; i < b.size(); ++i) EXPECT_FLOAT_EQ(c[i], b[i] / 4);
}

TEST(Slice, MomentsOfAKnownLaw) {
  Rng rng(6);
  double x = 0.3;
  BatchMeans moments(2);
  const std::size_t length = 60000;
  // Exponential of a gamma: log density of log(G) with G ~ gamma(3).
  for (std::size_t i = 0; i < length; ++i) {
    x = slice_sample(
        x, 0.7, [](double v) { return 3 * v - std::exp(v); }, rng);
    const double values[] = {std::exp(x), std::exp(2 * x)};
    moments.add(i, length, values);
  }
  EXPECT_LT(std::abs(moments.z(0, 3)), 4);
  EXPECT_LT(std::abs(moments.z(1, 12)), 4);
}

}  // namespace
}  // namespace mbnn
