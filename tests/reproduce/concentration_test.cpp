// The functions of the concentration study are as smooth as they claim, and slopes are fitted as they should.
#include <gtest/gtest.h>

#include <cmath>

#include "apps/reproduce/concentration.h"
#include "apps/reproduce/rows_file.h"
#include "apps/reproduce/study.h"
#include "mbnn/core/rng.h"

namespace mbnn::studies {
namespace {

// The largest second difference of f at distance h over random points and axes. For exponents β in (0, 2) it falls like
// h^β for a function that is β-Hölder everywhere and no smoother anywhere, up to a factor that does not depend on h.
double largest_difference(const TrueFunction& f, double h) {
  Rng rng(1, 0);
  double largest = 0;
  for (int i = 0; i < 4000; ++i) {
    std::vector<double> x(f.inputs);
    for (double& v : x) v = (1 - h) * (2 * rng.uniform() - 1);
    const std::size_t axis = rng.below(f.inputs);
    double sum = -2 * f.value(x);
    x[axis] += h;
    sum += f.value(x);
    x[axis] -= 2 * h;
    largest = std::max(largest, std::abs(sum + f.value(x)));
  }
  return largest;
}

// Over five octaves the constant moves the slope by less than 0.15: 0.5 and 1.5 cannot be taken for each other.
TEST(ConcentrationStudy, FunctionsHaveTheirSmoothness) {
  for (const TrueFunction& f : true_functions()) {
    if (f.name == "composed") continue;  // its kinks are lines, which random points meet too seldom
    std::vector<double> h, difference;
    for (int k = 4; k <= 9; ++k) {
      h.push_back(std::exp2(-k));
      difference.push_back(largest_difference(f, h.back()));
    }
    EXPECT_NEAR(log_log_slope(h, difference).value, f.smoothness, 0.15) << f.name;
  }
}

TEST(ConcentrationStudy, RatesAreThoseOfTheTheorems) {
  const auto& functions = true_functions();
  EXPECT_NEAR(functions[0].error_slope(), -0.5 / 3, 1e-12);
  EXPECT_NEAR(functions[1].error_slope(), -1.5 / 5, 1e-12);
  EXPECT_NEAR(functions[2].error_slope(), -1.5 / 4, 1e-12);
  EXPECT_NEAR(functions[1].width_bound(1000), std::sqrt(std::pow(1000, 0.4) * std::log(1000)), 1e-9);
}

TEST(ConcentrationStudy, SlopesOfPowersAreExact) {
  const std::vector<double> x{100, 300, 1000},
      y{5 * std::pow(100, -0.3), 5 * std::pow(300, -0.3), 5 * std::pow(1000, -0.3)};
  EXPECT_NEAR(log_log_slope(x, y).value, -0.3, 1e-12);
  EXPECT_NEAR(log_log_slope(x, y).error, 0, 1e-7);
  EXPECT_TRUE(std::isnan(log_log_slope(std::span(x).first(2), std::span(y).first(2)).error));
}

TEST(ConcentrationStudy, SamplesAreFunctionPlusNoiseAndThenTheFunction) {
  const TrueFunction& f = true_functions()[2];
  const FunctionSample sample = sample_function(f, 5000, 3);
  ASSERT_EQ(sample.table->rows, 5000 + FunctionSample::fresh_rows);
  double squares = 0;
  for (std::size_t r = 0; r < sample.table->rows; ++r) {
    std::vector<double> x;
    for (std::size_t k = 0; k < f.inputs; ++k) x.push_back(sample.table->columns[k].numbers[r]);
    const double error = sample.table->columns[f.inputs].numbers[r] - f.value(x);
    if (r < 5000)
      squares += error * error;
    else
      ASSERT_EQ(error, 0);
  }
  // A chi-square of 5000 degrees: 4.4 sd, one false alarm in 10^5.
  const double variance = FunctionSample::noise_sd * FunctionSample::noise_sd;
  EXPECT_NEAR(squares / variance, 5000, 4.4 * std::sqrt(2 * 5000.0));
  EXPECT_NE(sample.checksum, sample_function(f, 5000, 4).checksum);
  EXPECT_EQ(sample.checksum, sample_function(f, 5000, 3).checksum);
}

TEST(ConcentrationStudy, TableShowsSlopesBesideRates) {
  StudyOptions options;
  const Study study = concentration_study(options);
  std::vector<Row> rows;
  for (const char* size : {"100", "1000", "10000"}) {
    Row row;
    for (const auto& column : study.columns()) row[column] = "1";
    row["function"] = "smooth";
    row["n"] = size;
    row["error_draws"] = cell(2 * std::pow(std::stod(size), -0.25));
    rows.push_back(row);
  }
  const std::string table = study.table(rows);
  EXPECT_NE(table.find("-0.250 ± 0.000"), std::string::npos) << table;
  EXPECT_NE(table.find("-0.300"), std::string::npos) << table;
}

}  // namespace
}  // namespace mbnn::studies
