// The predictive mixture's numbers agree with closed forms, brute-force integration and each other.
#include "mbnn/judge/mixture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "mbnn/core/error.h"
#include "mbnn/core/rng.h"
#include "mbnn/core/special.h"

namespace mbnn {
namespace {

struct Mixture {
  std::vector<double> mu, sd;
};

Mixture random_mixture(std::size_t draws, double spread, double log_sd_spread, Rng& rng) {
  Mixture mixture;
  for (std::size_t t = 0; t < draws; ++t) {
    mixture.mu.push_back(3 + spread * rng.normal());
    mixture.sd.push_back(0.5 * std::exp(log_sd_spread * rng.normal()));
  }
  return mixture;
}

// Simpson's rule; the integrands have their only kink at an end.
template <class Function>
double integrate(Function f, double low, double high, int panels = 5000) {
  const double h = (high - low) / (2 * panels);
  double sum = f(low) + f(high);
  for (int i = 1; i < 2 * panels; ++i) sum += (i % 2 ? 4 : 2) * f(low + i * h);
  return sum * h / 3;
}

// The definition: the integral of (F(x) - 1{x >= y})^2.
double crps_by_integration(double y, const Mixture& m) {
  const auto below = [&](double x) { return std::pow(mixture_cdf(x, m.mu, m.sd), 2); };
  const auto above = [&](double x) { return std::pow(1 - mixture_cdf(x, m.mu, m.sd), 2); };
  const double reach = std::abs(y) + 60;
  return integrate(below, -reach, y) + integrate(above, y, reach);
}

TEST(Mixture, MomentsOfTwoNormals) {
  const std::vector<double> mu{1, 3}, sd{2, 1};
  EXPECT_DOUBLE_EQ(mixture_mean(mu, sd), 2);
  EXPECT_DOUBLE_EQ(mixture_sd(mu, sd), std::sqrt((4.0 + 1.0) / 2 + 1));  // mean variance + variance of means
}

// Caught the deliberate break: the mean of log densities for the log of the mean density.
TEST(Mixture, LogDensityIsTheLogOfTheMeanDensity) {
  const std::vector<double> mu{1, 3}, sd{2, 1};
  const double first = std::exp(-0.03125) / (2 * std::sqrt(2 * std::numbers::pi));
  const double second = std::exp(-1.125) / std::sqrt(2 * std::numbers::pi);
  EXPECT_NEAR(mixture_log_density(1.5, mu, sd), std::log(0.5 * (first + second)), 1e-14);
  EXPECT_NEAR(mixture_log_density(1e4, mu, sd), -0.125 * 9999 * 9999 - std::log(4 * std::sqrt(2 * std::numbers::pi)),
              1e-6);  // far out, where densities underflow
}

TEST(Mixture, DensityIntegratesToTheCdf) {
  Rng rng(21);
  const Mixture m = random_mixture(7, 2, 0.5, rng);
  for (double y : {0.0, 2.5, 6.0})
    EXPECT_NEAR(integrate([&](double x) { return std::exp(mixture_log_density(x, m.mu, m.sd)); }, -30, y, 3000),
                mixture_cdf(y, m.mu, m.sd), 1e-10);
}

// Caught the deliberate breaks: a tolerance of 1e-4 instead of 1e-10; the upper tail solved without its mirror image.
TEST(Mixture, QuantileInvertsTheCdf) {
  Rng rng(22);
  for (double spread : {0.1, 1.0, 30.0})
    for (double log_sd_spread : {0.0, 1.0})
      for (std::size_t draws : {1, 2, 9, 400}) {
        const Mixture m = random_mixture(draws, spread, log_sd_spread, rng);
        const double scale = mixture_sd(m.mu, m.sd);
        for (double p : {1e-9, 0.025, 0.3, 0.5, 0.8, 0.975, 1 - 1e-9}) {
          const double y = mixture_quantile(p, m.mu, m.sd);
          EXPECT_LE(mixture_cdf(y - 1e-10 * scale, m.mu, m.sd), p + 1e-15) << p << ' ' << draws << ' ' << spread;
          EXPECT_GE(mixture_cdf(y + 1e-10 * scale, m.mu, m.sd), p - 1e-15) << p << ' ' << draws << ' ' << spread;
        }
      }
}

TEST(Mixture, QuantileOfOneNormalAndOfItsMirror) {
  const std::vector<double> mu{-2, -2}, sd{3, 3};
  EXPECT_NEAR(mixture_quantile(0.975, mu, sd), -2 + 3 * 1.9599639845400539, 1e-9);
  const double p = 1e-12;
  const std::vector<double> left{0, 1, 5}, right{0, -1, -5}, scales{1, 2, 0.1};
  EXPECT_NEAR(mixture_quantile(p, left, scales), -mixture_quantile(1 - p, right, scales), 1e-4);  // 1 - p rounds
  EXPECT_NEAR(normal_cdf((mixture_quantile(p, left, scales) - 1) / 2) / 3, p, 1e-14);  // the wide part owns the tail
}

// Caught the deliberate break: a tolerance of 1e-6 instead of 1e-10, which Newton's last step hides in smooth mixtures.
TEST(Mixture, QuantileWithGapsAndFarFromZero) {
  // Narrow spikes far apart: Newton's steps are useless between them.
  const std::vector<double> spikes{0, 1000, 2000, 3000}, narrow{1e-3, 1e-3, 1e-3, 1e-3};
  EXPECT_NEAR(mixture_quantile(0.4, spikes, narrow), 1000 + 1e-3 * normal_quantile(0.6), 2e-7);
  EXPECT_NEAR(mixture_quantile(0.9, spikes, narrow), 3000 + 1e-3 * normal_quantile(0.6), 2e-7);
  const double gap = mixture_quantile(0.5, spikes, narrow);
  EXPECT_NEAR(mixture_cdf(gap, spikes, narrow), 0.5, 1e-12);
  // The tolerance is below the spacing of doubles here: the search must still end.
  const std::vector<double> far{1e12, 1e12 + 1}, unit{1, 1};
  EXPECT_NEAR(mixture_quantile(0.5, far, unit), 1e12 + 0.5, 1e-3);
}

// Gneiting and Raftery (2007), equation 21. Caught the deliberate break: the pair term without its factor one half.
TEST(Mixture, CrpsOfOneNormal) {
  for (double y : {-4.0, 0.3, 1.0, 9.0}) {
    const double z = (y - 1) / 2;
    const double expected =
        2 * (z * (2 * normal_cdf(z) - 1) + 2 * std::exp(normal_log_pdf(z)) - 1 / std::sqrt(std::numbers::pi));
    EXPECT_NEAR(mixture_crps(y, std::vector<double>{1}, std::vector<double>{2}), expected, 1e-14);
    // The same law a thousand times over goes through the integral instead of the pairs.
    const std::vector<double> mu(1000, 1.0), sd(1000, 2.0);
    EXPECT_NEAR(mixture_crps(y, mu, sd), expected, 1e-8 * 2);
  }
}

// Few draws take the pairs, many the trapezoid rule, many with widely spread sds the pairs again.
// Caught the deliberate break: a trapezoid step of 1.5 of the smallest sd.
TEST(Mixture, CrpsIsTheIntegralOfItsDefinition) {
  Rng rng(23);
  for (const Mixture& m :
       {random_mixture(5, 2, 0.5, rng), random_mixture(300, 0.3, 0.1, rng), random_mixture(300, 1, 0.6, rng)})
    for (double y : {-1.0, 3.0, 4.5}) {
      const double expected = crps_by_integration(y, m);
      EXPECT_NEAR(mixture_crps(y, m.mu, m.sd), expected, 1e-7 * expected) << m.mu.size() << ' ' << y;
    }
}

// A weight counts like as many equal draws. Caught when broken: the pair term, the trapezoid rule or the density
// without the weights.
TEST(Mixture, WeightsCountLikeRepeatedDraws) {
  Rng rng(29);
  for (std::size_t draws : {4, 200}) {
    const Mixture m = random_mixture(draws, 1, 0.4, rng);
    Mixture repeated;
    std::vector<double> weight;
    double total = 0;
    for (std::size_t t = 0; t < draws; ++t) {
      const std::size_t times = 1 + rng.below(4);
      repeated.mu.insert(repeated.mu.end(), times, m.mu[t]);
      repeated.sd.insert(repeated.sd.end(), times, m.sd[t]);
      total += weight.emplace_back(static_cast<double>(times));
    }
    for (double& w : weight) w /= total;
    EXPECT_NEAR(mixture_mean(m.mu, m.sd, weight), mixture_mean(repeated.mu, repeated.sd), 1e-12);
    EXPECT_NEAR(mixture_sd(m.mu, m.sd, weight), mixture_sd(repeated.mu, repeated.sd), 1e-12);
    EXPECT_NEAR(mixture_log_density(2.5, m.mu, m.sd, weight), mixture_log_density(2.5, repeated.mu, repeated.sd),
                1e-12);
    EXPECT_NEAR(mixture_cdf(2.5, m.mu, m.sd, weight), mixture_cdf(2.5, repeated.mu, repeated.sd), 1e-12);
    EXPECT_NEAR(mixture_quantile(0.9, m.mu, m.sd, weight), mixture_quantile(0.9, repeated.mu, repeated.sd), 1e-8);
    EXPECT_NEAR(mixture_crps(2.5, m.mu, m.sd, weight), mixture_crps(2.5, repeated.mu, repeated.sd), 1e-7);
  }
}

TEST(Mixture, RefusesWhatIsNoMixture) {
  const std::vector<double> two{1, 2}, one{1}, zero{0}, none;
  EXPECT_THROW(mixture_mean(none, none), InputError);
  EXPECT_THROW(mixture_sd(two, one), InputError);
  EXPECT_THROW(mixture_mean(two, two, one), InputError);
  EXPECT_THROW(mixture_cdf(0, one, zero), InputError);
  EXPECT_THROW(mixture_quantile(1, one, one), InputError);
  // Caught a real endless loop: without a finite mean the trapezoid rule had no last node.
  const std::vector<double> broken{std::nan("")};
  EXPECT_TRUE(std::isnan(mixture_quantile(0.5, broken, one)));
  EXPECT_TRUE(std::isnan(mixture_crps(0.5, broken, one)));
}

}  // namespace
}  // namespace mbnn
