// Pareto-smoothed importance sampling: the fit of the tail against known laws, and leave-one-out against a model in
// which it is exact.
#include "mbnn/judge/psis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mbnn/core/error.h"
#include "mbnn/core/rng.h"
#include "mbnn/core/special.h"

namespace mbnn {
namespace {

// 1 - 0.25 is survived at sigma (0.25^-k - 1) / k.
TEST(Pareto, QuantilesByHand) {
  EXPECT_NEAR((ParetoLaw{0.5, 2}.quantile(0.75)), 2 * (2 - 1) / 0.5, 1e-12);
  EXPECT_NEAR((ParetoLaw{0, 2}.quantile(0.75)), 2 * std::log(4.0), 1e-12);
  EXPECT_NEAR((ParetoLaw{-1, 2}.quantile(0.75)), 1.5, 1e-12);  // uniform on (0, 2)
}

// The mean estimate over 200 samples of 400 values. One estimate has a deviation of (1 + k) / sqrt(n) at best (Zhang
// and Stephens find theirs within a few percent of it) and a bias of order 1 / n: allowed are 3.9 standard errors and
// 2 / n. Caught: k with the wrong sign, a grid without its prior's factor.
TEST(Pareto, FindsTheLawOfASample) {
  for (const double k : {-0.3, 0.1, 0.5, 0.9}) {
    Rng rng(11);
    double sum_k = 0, sum_sigma = 0;
    const int samples = 200, n = 400;
    for (int s = 0; s < samples; ++s) {
      std::vector<double> x(n);
      for (double& value : x) value = ParetoLaw{k, 3}.quantile(rng.uniform());
      std::ranges::sort(x);
      const ParetoLaw law = fit_pareto(x);
      sum_k += law.k / samples;
      sum_sigma += law.sigma / samples;
    }
    const double error = (1 + k) / std::sqrt(n * samples);
    EXPECT_NEAR(sum_k, k, 3.9 * error + 2.0 / n) << k;
    EXPECT_NEAR(sum_sigma, 3, 3 * (3.9 * std::sqrt(2 * (1 + k) / (n * samples)) + 2.0 / n)) << k;
  }
}

TEST(Pareto, LimitGrowsWithDraws) {
  EXPECT_NEAR(pareto_k_limit(100), 0.5, 1e-12);
  EXPECT_NEAR(pareto_k_limit(1000), 2.0 / 3, 1e-12);
  EXPECT_EQ(pareto_k_limit(1000000), 0.7);
  EXPECT_EQ(pareto_k_limit(1), 0);
}

// Ratios of Pareto's own law keep their k, drawn towards 1/2 as by ten values beside the twenty of the tail: from 0.2
// to 0.3, from 0.9 to 0.77. The fit to twenty values may be biased by 1 / 20. Weights sum to 1.
TEST(SmoothedWeights, KnowTheTailOfTheirRatios) {
  Rng rng(4);
  for (const double k : {0.2, 0.9}) {
    double sum = 0;
    for (int s = 0; s < 2000; ++s) {
      std::vector<double> log_ratios(100);
      for (double& r : log_ratios) r = std::log(1 + ParetoLaw{k, 1}.quantile(rng.uniform())) + 300;
      const SmoothedWeights weights = smoothed_weights(log_ratios);
      sum += weights.k / 2000;
      EXPECT_NEAR(log_sum_exp(weights.log_weights), 0, 1e-9);
    }
    const double tail = 20;
    const double expected = (tail * k + 5) / (tail + 10);
    EXPECT_NEAR(sum, expected, 3.9 * (1 + k) / std::sqrt(2000 * tail) + 0.05) << k;
  }
}

TEST(SmoothedWeights, EqualOnesAreFineAndFewAreNot) {
  const std::vector<double> equal(100, -3.0), few{1, 2, 3};
  EXPECT_EQ(smoothed_weights(equal).k, 0);
  EXPECT_NEAR(smoothed_weights(equal).log_weights[7], -std::log(100.0), 1e-12);
  EXPECT_EQ(smoothed_weights(few).k, kInfinity);
  EXPECT_NEAR(std::exp(smoothed_weights(few).log_weights[2] - smoothed_weights(few).log_weights[1]), std::exp(1.0),
              1e-12);
  EXPECT_THROW(smoothed_weights({}), InputError);
}

// y_i ~ N(mu, 1), mu ~ N(0, 25). The posterior of mu is normal with or without a row, so the predictive density of each
// row from the others is known. Thirty sets of 4000 exact draws: the mean of their errors has to be within 3.9 of its
// standard errors, and one set's error is small.
struct NormalModel {
  std::vector<double> y;
  double exact_elpd = 0, exact_lpd = 0;
  double mean = 0, variance = 0;

  explicit NormalModel(std::vector<double> values) : y(std::move(values)) {
    double sum = 0;
    for (const double v : y) sum += v;
    const auto posterior = [](double total, double count) {
      const double precision = count + 1 / 25.0;
      return std::pair(total / precision, 1 / precision);
    };
    std::tie(mean, variance) = posterior(sum, static_cast<double>(y.size()));
    for (const double v : y) {
      const auto [m, s2] = posterior(sum - v, static_cast<double>(y.size()) - 1);
      exact_elpd += normal_log_pdf(v, m, std::sqrt(s2 + 1));
      exact_lpd += normal_log_pdf(v, mean, std::sqrt(variance + 1));
    }
  }

  LeaveOneOut estimate(std::size_t draws, Rng& rng) const {
    std::vector<double> mu(draws), log_likelihood(draws);
    for (double& m : mu) m = mean + std::sqrt(variance) * rng.normal();
    LeaveOneOutSum sum(draws);
    for (const double v : y) {
      for (std::size_t s = 0; s < draws; ++s) log_likelihood[s] = normal_log_pdf(v, mu[s], 1);
      sum.add(LeaveOneOutSum::row(log_likelihood, log_likelihood));
    }
    return sum.result();
  }
};

TEST(LeaveOneOut, IsExactInAConjugateModel) {
  Rng rng(8);
  std::vector<double> y(20);
  for (double& v : y) v = 2 + rng.normal();
  const NormalModel model(y);
  std::vector<double> errors;
  double p_eff = 0;
  for (int set = 0; set < 30; ++set) {
    const LeaveOneOut loo = model.estimate(4000, rng);
    errors.push_back(loo.elpd - model.exact_elpd);
    p_eff += loo.p_eff / 30;
    EXPECT_TRUE(loo.trustworthy());
    EXPECT_EQ(loo.rows, 20u);
  }
  double mean = 0, squares = 0;
  for (const double e : errors) mean += e / 30;
  for (const double e : errors) squares += (e - mean) * (e - mean) / 29;
  EXPECT_LT(std::sqrt(squares), 0.02);
  EXPECT_NEAR(mean, 0, 3.9 * std::sqrt(squares / 30));
  EXPECT_NEAR(p_eff, model.exact_lpd - model.exact_elpd, 0.02);
  EXPECT_GT(model.exact_lpd - model.exact_elpd, 0.5);  // one parameter; without the row's removal it would be 0
}

// One row that the others know nothing of moves the posterior too far for its draws to tell.
TEST(LeaveOneOut, SaysWhenItIsNotToBeTrusted) {
  Rng rng(8);
  const LeaveOneOut loo = NormalModel({0.1, -0.2, 0.3, 12}).estimate(4000, rng);
  EXPECT_FALSE(loo.trustworthy());
  EXPECT_GE(loo.k_above_limit, 1u);
  EXPECT_GT(loo.k_max, 0.7);
}

// The error is that of a sum of independent rows.
TEST(LeaveOneOut, StandardErrorByHand) {
  LeaveOneOutSum sum(1000);
  for (const double elpd : {-1.0, -3.0, -5.0}) sum.add({elpd, elpd + 0.5, 0.1});
  EXPECT_NEAR(sum.result().elpd, -9, 1e-12);
  EXPECT_NEAR(sum.result().se, std::sqrt(3 * 4.0), 1e-12);
  EXPECT_NEAR(sum.result().p_eff, 1.5, 1e-12);
  sum.add({-1, -1, std::nan("")});
  EXPECT_EQ(sum.result().k_above_07, 1u);
}

}  // namespace
}  // namespace mbnn
