// The accumulated metrics equal hand-computed values, and calibrated predictions come out as calibrated.
#include "mbnn/judge/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mbnn/core/error.h"
#include "mbnn/core/rng.h"
#include "mbnn/core/special.h"
#include "mbnn/judge/mixture.h"

namespace mbnn {
namespace {

// Two rows by hand: N(0, 1) with y = 1 and N(0, 4) with y = 10, outside its interval.
// Caught the deliberate breaks: interval_width summed, not averaged; quantiles at 1 - level instead of half of it.
TEST(RegressionMetrics, TwoRowsByHand) {
  RegressionAccumulator accumulator;
  const std::vector<double> mu{0, 0}, narrow{1, 1}, wide{2, 2};
  accumulator.add(score(1, mu, narrow));
  accumulator.add(score(10, mu, wide));
  const RegressionMetrics metrics = accumulator.result();
  EXPECT_EQ(metrics.n, 2u);
  EXPECT_DOUBLE_EQ(metrics.rmse, std::sqrt((1.0 + 100.0) / 2));
  EXPECT_NEAR(metrics.nll, (0.5 + 12.5 + std::log(2.0)) / 2 + 0.9189385332046727, 1e-12);
  EXPECT_NEAR(metrics.crps, (mixture_crps(1, mu, narrow) + mixture_crps(10, mu, wide)) / 2, 1e-14);
  EXPECT_DOUBLE_EQ(metrics.coverage, 0.5);
  EXPECT_NEAR(metrics.interval_width, 3 * 1.959963984540054, 1e-8);
}

// y is drawn from the predictive mixture itself, so each row is covered with probability 0.8: 4000 rows have a standard
// error of 0.0063 and a false alarm of 1e-4 at 3.9 of them.
TEST(RegressionMetrics, CoverageOfATruePredictiveLaw) {
  Rng rng(31);
  RegressionAccumulator accumulator;
  std::vector<double> mu(20), sd(20);
  for (int row = 0; row < 4000; ++row) {
    for (double& m : mu) m = 2 * rng.normal();
    for (double& s : sd) s = 0.2 + rng.uniform();
    const auto t = rng.below(20);
    accumulator.add(score(mu[t] + sd[t] * rng.normal(), mu, sd, 0.8));
  }
  EXPECT_NEAR(accumulator.result().coverage, 0.8, 3.9 * std::sqrt(0.8 * 0.2 / 4000));
}

TEST(RegressionMetrics, NoRowsAndBadLevels) {
  RegressionAccumulator accumulator;
  EXPECT_EQ(accumulator.result().n, 0u);
  EXPECT_TRUE(std::isnan(accumulator.result().rmse));
  const std::vector<double> one{1};
  EXPECT_THROW(score(0, one, one, 1.0), InputError);
  EXPECT_EQ(accumulator.result().n, 0u);
}

// The confidence 0.8 = 12/15 sits on an edge and belongs to the bin below it; the third row is a tie, which goes to the
// first class.
// Caught the deliberate breaks: bins closed below; brier over the label's class only.
TEST(ClassificationMetrics, RowsByHand) {
  ClassificationAccumulator accumulator;
  accumulator.add(0, std::vector<double>{0.8, 0.1, 0.1});
  accumulator.add(2, std::vector<double>{0.08, 0.82, 0.1});
  accumulator.add(0, std::vector<double>{0.4, 0.4, 0.2});
  accumulator.add(1, std::vector<double>{0.1, 0.79, 0.11});
  const ClassificationMetrics metrics = accumulator.result();
  EXPECT_EQ(metrics.n, 4u);
  EXPECT_DOUBLE_EQ(metrics.accuracy, 0.75);
  EXPECT_NEAR(metrics.nll, -(std::log(0.8) + std::log(0.1) + std::log(0.4) + std::log(0.79)) / 4, 1e-14);
  const double brier_sum =
      (0.04 + 0.01 + 0.01) + (0.0064 + 0.6724 + 0.81) + (0.36 + 0.16 + 0.04) + (0.01 + 0.0441 + 0.0121);
  EXPECT_NEAR(metrics.brier, brier_sum / 4, 1e-14);
  // 0.8 and 0.79 share a bin: |2 - 1.59|; 0.82 alone and wrong; 0.4 alone and right.
  EXPECT_NEAR(metrics.ece, (0.41 + 0.82 + 0.6) / 4, 1e-14);
}

// Labels follow the stated probabilities: every bin's gap is noise. With n rows in 15 bins the expected ECE is at most
// sqrt(15 / (4 n)), 0.014 here. One row moves it by at most 1 / n, so McDiarmid's inequality bounds the probability of
// an excess e by exp(-2 n e^2): 1e-4 at e = 0.0152.
TEST(ClassificationMetrics, CalibratedProbabilitiesHaveSmallEce) {
  Rng rng(32);
  ClassificationAccumulator calibrated, overconfident;
  for (int row = 0; row < 20000; ++row) {
    const double p = rng.uniform();
    const std::size_t label = rng.uniform() < p ? 1 : 0;
    calibrated.add(label, std::vector<double>{1 - p, p});
    const double sharp = p * p / (p * p + (1 - p) * (1 - p));
    overconfident.add(label, std::vector<double>{1 - sharp, sharp});
  }
  EXPECT_LT(calibrated.result().ece, 0.014 + 0.0152);
  EXPECT_GT(overconfident.result().ece, 0.05);
  EXPECT_LT(calibrated.result().nll, overconfident.result().nll);  // both scores are proper
  EXPECT_LT(calibrated.result().brier, overconfident.result().brier);
}

TEST(ClassificationMetrics, RefusesWhatIsNoDistribution) {
  ClassificationAccumulator accumulator;
  EXPECT_THROW(accumulator.add(2, std::vector<double>{0.5, 0.5}), InputError);
  EXPECT_THROW(accumulator.add(0, std::vector<double>{0.5, 0.6}), InputError);
  EXPECT_THROW(accumulator.add(0, std::vector<double>{1.5, -0.5}), InputError);
  EXPECT_THROW(accumulator.add(0, std::vector<double>{std::nan(""), 0.5}), InputError);
  EXPECT_EQ(accumulator.result().n, 0u);
  accumulator.add(0, std::vector<double>{0, 1});
  EXPECT_TRUE(std::isinf(accumulator.result().nll));
}

}  // namespace
}  // namespace mbnn
