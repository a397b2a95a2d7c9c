// The special functions agree with 40-digit references and keep their accuracy in the tails.
#include "mbnn/core/special.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "mbnn/core/error.h"

namespace mbnn {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void expect_relative(double value, double expected, double tolerance) {
  EXPECT_NEAR(value, expected, tolerance * std::abs(expected));
}

// References by exact integer arithmetic: log(math.comb(n, k)) in Python. Caught the deliberate break: lgamma(n - k).
TEST(Special, LogChooseMatchesIntegers) {
  expect_relative(log_choose(52, 5), 14.77062192297037, 1e-13);
  expect_relative(log_choose(1000, 500), 689.4672615678512, 1e-13);
  expect_relative(log_choose(1e6, 3), 39.654769204662266, 1e-9);  // three terms of 1e7 cancel
  EXPECT_NEAR(log_choose(7, 0), 0, 1e-14);
  EXPECT_NEAR(log_choose(7, 7), 0, 1e-14);
  EXPECT_EQ(log_choose(0, 0), 0);
}

TEST(Special, LogChooseOutsideItsRange) {
  EXPECT_EQ(log_choose(5, 6), -infinity);
  EXPECT_EQ(log_choose(5, -1), -infinity);
  EXPECT_THROW(log_choose(-1, 0), InputError);
}

// Caught the deliberate break: no shift by the largest entry.
TEST(Special, LogSumExpNeitherOverflowsNorUnderflows) {
  expect_relative(log_sum_exp(std::vector<double>{1000, 1000}), 1000 + std::log(2.0), 1e-15);
  expect_relative(log_sum_exp(std::vector<double>{-1000, -1000, -1000}), -1000 + std::log(3.0), 1e-15);
  EXPECT_NEAR(log_sum_exp(std::vector<double>{std::log(0.2), std::log(0.3), std::log(0.5)}), 0, 1e-15);
  EXPECT_EQ(log_sum_exp(std::vector<double>{-infinity, 2.0}), 2.0);
}

TEST(Special, LogSumExpAtTheEndsOfTheRange) {
  EXPECT_EQ(log_sum_exp({}), -infinity);
  EXPECT_EQ(log_sum_exp(std::vector<double>{-infinity, -infinity}), -infinity);
  EXPECT_EQ(log_sum_exp(std::vector<double>{infinity, -infinity}), infinity);
  EXPECT_TRUE(std::isnan(log_sum_exp(std::vector<double>{infinity, std::nan("")})));
}

// References: mpmath.ncdf with 40 digits; rounding x moves the tail by a relative x^2 * epsilon. Caught the deliberate
// break 0.5 * (1 + erf), which loses the lower tail.
TEST(Special, NormalCdfKeepsRelativeAccuracyInTheLowerTail) {
  const std::vector<std::pair<double, double>> references{{-30, 4.9067139271481870595e-198},
                                                          {-10, 7.619853024160526066e-24},
                                                          {-3, 0.0013498980316300945267},
                                                          {-1, 0.15865525393145705141},
                                                          {0, 0.5},
                                                          {0.5, 0.69146246127401310364},
                                                          {2, 0.9772498680518207928},
                                                          {6, 0.99999999901341235496}};
  for (const auto& [x, expected] : references) expect_relative(normal_cdf(x), expected, 1e-15 * (1 + x * x));
}

TEST(Special, NormalLogPdfIsTheDerivativeOfTheCdf) {
  for (double x : {-4.0, -1.0, 0.0, 0.7, 3.0}) {
    const double h = 1e-5;
    expect_relative(std::exp(normal_log_pdf(x)), (normal_cdf(x + h) - normal_cdf(x - h)) / (2 * h), 1e-6);
  }
  EXPECT_NEAR(normal_log_pdf(7, 1, 3), normal_log_pdf(2) - std::log(3.0), 1e-15);
}

// References: the root of log(mpmath.ncdf) with 40 digits, one or more for each of the three rational approximations.
// Caught the deliberate break: the last digit of one coefficient's exponent changed, in each range.
TEST(Special, NormalQuantileMatchesReferences) {
  const std::vector<std::pair<double, double>> references{
      {1e-300, -37.047096299361199237}, {1e-20, -9.2623400897984075796}, {1e-12, -7.0344838253011319326},
      {1e-5, -4.2648907939228246102},   {0.02, -2.0537489106318230443},  {0.025, -1.9599639845400542118},
      {0.075, -1.4395314709384559349},  {0.3, -0.52440051270804081597},  {0.7, 0.52440051270804065631},
      {0.9, 1.2815515655446005935},     {0.975, 1.9599639845400538556},  {0.99999, 4.2648907939238407699}};
  for (const auto& [p, expected] : references) expect_relative(normal_quantile(p), expected, 1e-15);
  EXPECT_EQ(normal_quantile(0.5), 0);
}

TEST(Special, NormalQuantileInvertsTheCdf) {
  for (double x = -37; x <= 5; x += 0.37) EXPECT_NEAR(normal_quantile(normal_cdf(x)), x, 1e-9) << x;
}

TEST(Special, NormalQuantileAtTheEnds) {
  EXPECT_EQ(normal_quantile(0), -infinity);
  EXPECT_EQ(normal_quantile(1), infinity);
  EXPECT_TRUE(std::isnan(normal_quantile(-0.1)));
  EXPECT_TRUE(std::isnan(normal_quantile(1.1)));
  EXPECT_TRUE(std::isnan(normal_quantile(std::nan(""))));
}

}  // namespace
}  // namespace mbnn
