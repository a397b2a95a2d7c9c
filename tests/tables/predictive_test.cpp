// What draws say of new rows, in the target's own units: two constant networks, and their mixture by hand.
#include "mbnn/tables/predictive.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mbnn/tables/evaluation.h"
#include "tests/support/made_fit.h"

namespace mbnn {
namespace {

// y is 81.5 or 121.5: its mean is 101.5, its deviation 20. Seen to fail with the noise in scaled units, and with that
// of outliers weighted like the others.
TEST(Predictive, IsInUnitsOfTheTarget) {
  for (const bool outliers : {false, true}) {
    const MadeFit made(81.5, 121.5, outliers);
    const Predictive predictive(made.fitted);
    std::size_t seen = 0;
    predictive.for_each_row(made.rows, 1, [&](const RowPrediction& p) {
      ++seen;
      ASSERT_EQ(p.means.size(), outliers ? 4u : 2u);
      for (std::size_t part = 0; part < p.means.size(); part += 2) {
        const double spread = part == 0 ? 1 : 10;
        EXPECT_NEAR(p.means[part], 111.5, 1e-5);
        EXPECT_NEAR(p.means[part + 1], 81.5, 1e-5);
        EXPECT_NEAR(p.sds[part], 20 * 0.2 * spread, 1e-12);
        EXPECT_NEAR(p.sds[part + 1], 20 * 0.5 * spread, 1e-12);
      }
      if (!outliers) return;
      const double share = 0.5 / 11;  // of ten rows
      for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(p.weights[i], 0.5 * (i < 2 ? 1 - share : share), 1e-12);
    });
    EXPECT_EQ(seen, 10u);
  }
}

// Classes 0 and 1: the mean of the draws' probabilities, not the probability of their mean; and their deviation.
TEST(Predictive, AveragesProbabilities) {
  const MadeFit made(0, 1, false);
  const double p = 0.5 / (1 + std::exp(-0.5)) + 0.5 / (1 + std::exp(1.0));
  const Predictive predictive(made.fitted);
  predictive.for_each_row(made.rows, 1, [&](const RowPrediction& row) {
    ASSERT_EQ(row.probabilities.size(), 2u);
    EXPECT_NEAR(row.probabilities[1], p, 1e-7);
    EXPECT_NEAR(row.probabilities[0], 1 - p, 1e-7);
    const double half_gap = 0.5 / (1 + std::exp(-0.5)) - 0.5 / (1 + std::exp(1.0));
    EXPECT_NEAR(row.probability_sds[0], half_gap, 1e-7);
    EXPECT_NEAR(row.probability_sds[1], half_gap, 1e-7);
  });
  // Half of the rows have each label.
  EXPECT_NEAR(evaluate(made.fitted, made.rows, 0.95, 1).classification.nll, -0.5 * (std::log(p) + std::log(1 - p)),
              1e-7);
}

}  // namespace
}  // namespace mbnn
