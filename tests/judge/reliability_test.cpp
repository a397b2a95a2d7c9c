// The summaries of a law's reliability: against tables of distributions, hand counts and laws that are right or not.
#include "mbnn/judge/reliability.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mbnn/core/error.h"
#include "mbnn/core/rng.h"

namespace mbnn {
namespace {

// Percentage points of Kolmogorov's distance for n = 20 and n = 100 (Miller 1956, two-sided): the approximation is to
// be within 0.003 of each level.
TEST(Reliability, KolmogorovAgreesWithTables) {
  EXPECT_NEAR(kolmogorov_p(0.29408, 20), 0.05, 0.003);
  EXPECT_NEAR(kolmogorov_p(0.35241, 20), 0.01, 0.003);
  EXPECT_NEAR(kolmogorov_p(0.13403, 100), 0.05, 0.003);
  EXPECT_NEAR(kolmogorov_p(0.16081, 100), 0.01, 0.003);
  EXPECT_EQ(kolmogorov_p(0, 100), 1);
  EXPECT_EQ(kolmogorov_p(1, 1000), 0);
  EXPECT_TRUE(std::isnan(kolmogorov_p(0.1, 0)));
}

// Caught: a value on the edge of a tenth counted below it, and 1 counted nowhere.
TEST(Reliability, PitByHand) {
  const PitSummary pit = pit_summary({0, 0.1, 0.55, 1, std::nan("")});
  EXPECT_EQ(pit.counts, (std::array<std::size_t, 10>{1, 1, 0, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_DOUBLE_EQ(pit.distance, 0.4);  // below 0.1 lie two of four
}

// Of right laws the p value itself is uniform: of 400, 20 lie below 0.05 with a standard deviation of 4.4. Laws that
// are half as wide as they should be are found out with 100 rows.
TEST(Reliability, PitTellsRightLawsFromNarrowOnes) {
  Rng rng(5);
  int small = 0;
  for (int i = 0; i < 400; ++i) {
    std::vector<double> values(100);
    for (double& v : values) v = rng.uniform();
    small += pit_summary(values).p < 0.05;
  }
  EXPECT_NEAR(small, 20, 3.9 * 4.4);
  std::vector<double> narrow(100);
  for (double& v : narrow) v = 0.5 * std::erfc(-2 * rng.normal() / std::sqrt(2.0));
  EXPECT_LT(pit_summary(narrow).p, 1e-3);
}

// Of 10 trials at 1/2: P(0) = 0.00098, P(0 or 1) = 0.0107. The 99% range leaves out 0 and 10 alone.
TEST(Reliability, BinomialRangeByHand) {
  EXPECT_EQ(binomial_range(10, 0.5, 0.99).low, 0.1);
  EXPECT_EQ(binomial_range(10, 0.5, 0.99).high, 0.9);
  EXPECT_EQ(binomial_range(10, 0.5, 0.97).low, 0.2);
  EXPECT_EQ(binomial_range(1, 0.95, 0.99).low, 0);
  EXPECT_EQ(binomial_range(1, 0.95, 0.99).high, 1);
  // A large one is the normal's, to the half count that it leaves open.
  const Range large = binomial_range(100000, 0.95, 0.99);
  EXPECT_NEAR(large.low, 0.95 - 2.5758 * std::sqrt(0.0475 / 100000), 2e-5);
  EXPECT_NEAR(large.high, 0.95 + 2.5758 * std::sqrt(0.0475 / 100000), 2e-5);
  EXPECT_THROW(binomial_range(0, 0.5, 0.9), InputError);
}

// Caught: rows in the order of the table.
TEST(Reliability, CoverageGoesBySizeOfThePrediction) {
  std::vector<CoveredRow> rows;
  for (const double prediction : {5, 1, 4, 2, 3}) rows.push_back({prediction, prediction < 3});
  const auto parts = coverage_by_prediction(rows, 0.5, 2);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].n, 2u);
  EXPECT_EQ(parts[0].from, 1);
  EXPECT_EQ(parts[0].to, 2);
  EXPECT_EQ(parts[0].coverage, 1);
  EXPECT_EQ(parts[1].from, 3);
  EXPECT_EQ(parts[1].coverage, 0);
  EXPECT_EQ(parts[1].chance.low, binomial_range(3, 0.5, 0.99).low);
  EXPECT_EQ(coverage_by_prediction(rows, 0.5, 9).size(), 5u);
  EXPECT_TRUE(coverage_by_prediction({}, 0.5, 4).empty());
}

}  // namespace
}  // namespace mbnn
