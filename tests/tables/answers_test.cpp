// The columns of a table of predictions: against the mixture of two constant networks, whose law is known.
#include "mbnn/tables/answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mbnn/core/error.h"
#include "mbnn/judge/mixture.h"
#include "tests/support/kolmogorov.h"
#include "tests/support/made_fit.h"

namespace mbnn {
namespace {

// The values of all rows, by row.
std::vector<std::vector<double>> values(const MadeFit& made, const AnswerOptions& options) {
  const Answers answers(made.fitted, options);
  std::vector<std::vector<double>> rows;
  Predictive(made.fitted).for_each_row(made.rows, 2, [&](const RowPrediction& row) {
    rows.push_back(answers.answer(row).values);
  });
  return rows;
}

// Its normals are N(111.5, 4^2) and N(81.5, 10^2).
const std::vector<double> kMeans{111.5, 81.5}, kSds{4, 10};

std::vector<std::string> names(const Answers& answers) {
  std::vector<std::string> list;
  for (const auto& column : answers.columns()) list.push_back(column.name);
  return list;
}

TEST(Answers, ColumnsAreThoseAskedFor) {
  const MadeFit made(81.5, 121.5, false);
  EXPECT_THAT(names(Answers(made.fitted, {})), testing::ElementsAre("mean", "sd", "lower", "upper"));
  EXPECT_THAT(
      names(Answers(made.fitted,
                    {.parts = true, .quantiles = {0.29, 0.005, 0.9999999}, .above = {-3.5, 1e6}, .samples = 2})),
      testing::ElementsAre("mean", "sd", "lower", "upper", "sd_function", "sd_noise", "q29", "q0.5", "q99.99999",
                           "above_-3.5", "above_1000000", "s1", "s2"));
}

// The levels come in any order. Two that differ by less than a quantile is solved to must not cross, as some do without
// the bound from below.
TEST(Answers, QuantilesAreExactAndNeverCross) {
  const MadeFit made(81.5, 121.5, false);
  std::vector<double> levels{0.9001, 1e-6, 0.5001};
  for (int i = 1; i < 500; ++i) levels.insert(levels.end(), {0.002 * i, std::nextafter(0.002 * i, 1)});
  const auto row = values(made, {.quantiles = levels}).at(3);
  for (std::size_t i = 0; i < levels.size(); ++i)
    EXPECT_NEAR(mixture_cdf(row[4 + i], kMeans, kSds) / levels[i], 1, 1e-6) << levels[i];
  for (std::size_t i = 3; i < levels.size(); ++i)
    EXPECT_EQ(levels[i - 1] < levels[i], row[3 + i] <= row[4 + i]) << levels[i];
}

// Caught: the outliers' spread left out of the noise.
TEST(Answers, PartsAddUpToTheWhole) {
  for (const bool outliers : {false, true}) {
    const auto row = values(MadeFit(81.5, 121.5, outliers), {.parts = true}).at(0);
    const double share = outliers ? 0.5 / 11 : 0;
    EXPECT_NEAR(row[4], 15, 1e-5);
    EXPECT_NEAR(row[5], std::sqrt((1 + 99 * share) * (16 + 100) / 2), 1e-5);
    EXPECT_NEAR(row[1] * row[1], row[4] * row[4] + row[5] * row[5], 1e-8);
  }
}

TEST(Answers, ProbabilityAboveKeepsItsDigits) {
  const auto row = values(MadeFit(81.5, 121.5, false), {.above = {100, 0, 151.5}}).at(0);
  EXPECT_NEAR(row[4], 1 - mixture_cdf(100, kMeans, kSds), 1e-6);
  EXPECT_NEAR(row[5], 1, 1e-12);
  const double tail = 0.5 * 7.61985302416053e-24 + 0.5 * 1.279812543885835e-12;  // of 10 and of 7 sd, from tables
  EXPECT_NEAR(row[6] / tail, 1, 1e-3);  // the networks are in single precision: 7 sd are known to 1e-6 of them
}

// Forty thousand draws at one row against its law. Draws of the posterior come in turn, so the distance is no larger
// than that of independent ones: 1.95 / sqrt(n) is exceeded with probability 1e-3.
TEST(Answers, SamplesFollowTheLaw) {
  for (const bool outliers : {false, true}) {
    const MadeFit made(81.5, 121.5, outliers);
    const std::size_t n = 40000;
    const auto row = values(made, {.samples = n, .seed = 7}).at(0);
    const double share = outliers ? 0.5 / 11 : 0;
    const std::vector<double> means{111.5, 81.5, 111.5, 81.5}, sds{4, 10, 40, 100},
        weights{0.5 - share / 2, 0.5 - share / 2, share / 2, share / 2};
    std::vector<double> probabilities;
    for (std::size_t i = 4; i < row.size(); ++i) probabilities.push_back(mixture_cdf(row[i], means, sds, weights));
    EXPECT_LT(kolmogorov_distance_from_law(probabilities), 1.95 / std::sqrt(n)) << outliers;
  }
}

// A column is one network at all rows: the mean over a thousand rows is that of a network, with an error of 0.1 or 0.3,
// never the 96.5 between. Two columns are both networks. Caught: a network chosen for each row.
TEST(Answers, AColumnOfSamplesIsOneNetwork) {
  const MadeFit made(81.5, 121.5, false, 1000);
  const auto rows = values(made, {.samples = 2});
  double first = 0, second = 0;
  for (const auto& row : rows) {
    first += row[4] / 1000;
    second += row[5] / 1000;
  }
  EXPECT_NEAR(std::max(first, second), 111.5, 0.6);
  EXPECT_NEAR(std::min(first, second), 81.5, 1.5);
}

TEST(Answers, SamplesHaveTheBitsOfTheirSeed) {
  const MadeFit made(81.5, 121.5, true);
  EXPECT_EQ(values(made, {.samples = 5}), values(made, {.samples = 5, .seed = made.fitted.configuration.seed}));
  EXPECT_NE(values(made, {.samples = 5}), values(made, {.samples = 5, .seed = 99}));
}

TEST(Answers, ClassesHaveProbabilitiesAlone) {
  const MadeFit made(0, 1, false);
  EXPECT_THAT(names(Answers(made.fitted, {.parts = true})), testing::ElementsAre("p_0", "p_1", "sd_0", "sd_1"));
  for (const AnswerOptions& options :
       {AnswerOptions{.quantiles = {0.5}}, AnswerOptions{.above = {0.5}}, AnswerOptions{.samples = 1}})
    EXPECT_THROW(Answers(made.fitted, options), OptionError);
}

TEST(Answers, RefusesLevelsThatAreNone) {
  const MadeFit made(81.5, 121.5, false);
  for (const AnswerOptions& options :
       {AnswerOptions{.quantiles = {0.5, 0.0}}, AnswerOptions{.quantiles = {95}},
        AnswerOptions{.quantiles = {std::nan("")}}, AnswerOptions{.quantiles = {0.5, 0.1, 0.5}},
        AnswerOptions{.above = {1, 1}}, AnswerOptions{.above = {INFINITY}}})
    EXPECT_THROW(Answers(made.fitted, options), OptionError);
}

}  // namespace
}  // namespace mbnn
