// The debiased calibration error has the mean that theory gives, where the plain one mistakes chance for
// miscalibration.
#include "mbnn/judge/calibration_error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "mbnn/core/error.h"
#include "mbnn/core/rng.h"

namespace mbnn {
namespace {

// Mean and standard error of the squared error over independent data sets.
struct Estimate {
  double mean, error;
};
Estimate over_data_sets(int sets, const std::function<double(Rng&)>& squared, std::uint64_t seed) {
  Rng rng(seed);
  double sum = 0, squares = 0;
  for (int s = 0; s < sets; ++s) {
    const double x = squared(rng);
    sum += x;
    squares += x * x;
  }
  const double mean = sum / sets;
  return {mean, std::sqrt((squares / sets - mean * mean) / (sets - 1))};
}

// A false alarm in 1 of 10,000 runs.
constexpr double z_limit = 3.9;

// One class of two, by hand: probabilities 0.1 to 0.3 in 30 rows are 15 bins of two rows; with two values, two bins.
// Caught: the term y (1 - y) / m, bins that part equal probabilities, one class instead of the mean over both.
TEST(MarginalError, ByHand) {
  MarginalCalibrationError two_values;
  // 4 rows at 0.25, of which 2 are of class 1; 6 rows at 0.75, of which 3 are.
  for (std::size_t i = 0; i < 10; ++i) {
    const double p = i < 4 ? 0.25 : 0.75;
    two_values.add(i % 2, std::vector<double>{1 - p, p});
  }
  // Both classes have the same gaps, 1/4 in each bin, and y = 1/2.
  const double expected = (4 * (0.0625 - 0.25 / 3) + 6 * (0.0625 - 0.25 / 5)) / 10;
  EXPECT_NEAR(two_values.result().squared, expected, 1e-14);
  EXPECT_EQ(two_values.result().n, 10u);
  EXPECT_EQ(two_values.result().error, 0.0);  // expected is below 0

  MarginalCalibrationError pairs;
  for (std::size_t i = 0; i < 30; ++i) {
    const double p = 0.1 + 0.01 * static_cast<double>(i);
    pairs.add(i % 2, std::vector<double>{1 - p, p});
  }
  double sum = 0;
  for (std::size_t b = 0; b < 15; ++b) {
    const double gap = 0.105 + 0.02 * static_cast<double>(b) - 0.5;
    sum += gap * gap - 0.25;
  }
  EXPECT_NEAR(pairs.result().squared, sum / 15, 1e-13);
}

// Three classes, labels drawn from the stated probabilities: the mean is 0. The sets are small, so that the chance
// error that is taken away, about 15 y (1 - y) / 600 = 0.005, would be seen at many standard errors.
TEST(MarginalError, CalibratedDrawsHaveMeanZero) {
  const Estimate estimate = over_data_sets(
      200,
      [](Rng& rng) {
        MarginalCalibrationError error;
        for (int row = 0; row < 600; ++row) {
          double a = rng.gamma(0.7), b = rng.gamma(0.7), c = rng.gamma(0.7);
          const double sum = a + b + c;
          const std::vector<double> p{a / sum, b / sum, c / sum};
          const double u = rng.uniform();
          error.add(u < p[0] ? 0 : u < p[0] + p[1] ? 1 : 2, p);
        }
        return error.result().squared;
      },
      1);
  EXPECT_LT(estimate.error, 0.0004);
  // Inside a bin the probabilities differ and y (1 - y) / (m - 1) is a little more than the sum of p (1 - p) / m²:
  // the bias is at most the variance of p within bins over m, below 1e-4 here.
  EXPECT_NEAR(estimate.mean, 0, z_limit * estimate.error + 1e-4);
}

// Stated 0.2 or 0.7, true 0.3 or 0.6: the squared error is 0.01 for both classes.
TEST(MarginalError, KnownMiscalibration) {
  const Estimate estimate = over_data_sets(
      300,
      [](Rng& rng) {
        MarginalCalibrationError error;
        for (int row = 0; row < 400; ++row) {
          const bool high = rng.coin();
          const double stated = high ? 0.7 : 0.2, truth = high ? 0.6 : 0.3;
          error.add(rng.uniform() < truth ? 1 : 0, std::vector<double>{1 - stated, stated});
        }
        return error.result().squared;
      },
      2);
  EXPECT_LT(estimate.error, 0.0005);
  EXPECT_NEAR(estimate.mean, 0.01, z_limit * estimate.error);
}

TEST(MarginalError, EdgesAndBadRows) {
  MarginalCalibrationError error;
  EXPECT_TRUE(std::isnan(error.result().error));
  error.add(1, std::vector<double>{0.5, 0.5});
  EXPECT_EQ(error.result().squared, 0.0);  // one row says nothing
  EXPECT_THROW(error.add(0, std::vector<double>{0.5, 0.3, 0.2}), InputError);
  EXPECT_THROW(error.add(2, std::vector<double>{0.5, 0.5}), InputError);
  EXPECT_THROW(error.add(0, std::vector<double>{std::nan(""), 0.5}), InputError);
  EXPECT_EQ(error.result().n, 1u);
}

}  // namespace
}  // namespace mbnn
