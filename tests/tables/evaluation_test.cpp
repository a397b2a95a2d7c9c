// Scores of a fit beside those of a constant: two constant networks on rows that are known.
#include "mbnn/tables/evaluation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mbnn/core/error.h"
#include "mbnn/judge/mixture.h"
#include "tests/support/made_fit.h"

namespace mbnn {
namespace {

// Targets 81.5 and 121.5 in turn, the mixture of N(111.5, 4^2) and N(81.5, 10^2) for each row: its mean is 96.5.
TEST(Evaluation, NumbersByHand) {
  const MadeFit made(81.5, 121.5, false);
  const Constant constant = Constant::of(made.rows, made.fitted.encoding);
  EXPECT_NEAR(constant.mean, 101.5, 1e-5);
  EXPECT_NEAR(constant.sd, 20, 1e-5);
  const Evaluation e = evaluate(made.fitted, made.rows, 0.8, 2, constant);
  EXPECT_EQ(e.rows(), 10u);
  EXPECT_NEAR(e.regression.rmse, std::sqrt((15.0 * 15 + 25 * 25) / 2), 1e-4);
  EXPECT_NEAR(e.regression.mae, 20, 1e-4);
  EXPECT_NEAR(e.r2, 1 - (15.0 * 15 + 25 * 25) / 2 / 400, 1e-5);
  const std::vector<double> means{111.5, 81.5}, sds{4, 10};
  const double low = mixture_quantile(0.1, means, sds), high = mixture_quantile(0.9, means, sds);
  EXPECT_NEAR(e.regression.interval_score, high - low + 0.5 * 2 / 0.2 * (121.5 - high), 1e-4);
  EXPECT_EQ(e.regression.coverage, 0.5);
  ASSERT_TRUE(e.constant_regression);
  EXPECT_NEAR(e.constant_regression->rmse, 20, 1e-5);
  EXPECT_NEAR(e.constant_regression->nll, 0.9189385332046727 + std::log(20.0) + 0.5, 1e-5);
  EXPECT_EQ(e.pit.counts[2], 5u);  // 0.25 of the law lies below 81.5, all but 0.003 below 121.5
  EXPECT_EQ(e.pit.counts[9], 5u);
  std::size_t rows = 0;
  for (const CoveragePart& part : e.quarters) rows += part.n;
  EXPECT_EQ(rows, 10u);
}

// Class 1 has probability 0.4457 in every row, so class 0 is always predicted, and no row is ranked above another.
TEST(Evaluation, ClassesByHand) {
  MadeFit made(0, 1, false);
  made.rows.labels = {0, 0, 0, 1, 1, 1, 1, 1, 1, 1};
  const Constant constant = Constant::of(made.rows, made.fitted.encoding);
  ASSERT_EQ(constant.shares.size(), 2u);
  EXPECT_NEAR(constant.shares[1], 0.7, 1e-12);
  const Evaluation e = evaluate(made.fitted, made.rows, 0.95, 1, constant);
  EXPECT_EQ(e.confusion, (std::vector<std::vector<std::size_t>>{{3, 0}, {7, 0}}));
  EXPECT_EQ(e.auc, 0.5);
  EXPECT_NEAR(e.classification.accuracy, 0.3, 1e-12);
  EXPECT_NEAR(e.constant_classification->accuracy, 0.7, 1e-12);
  EXPECT_NEAR(e.constant_classification->brier, 2 * 0.3 * 0.7, 1e-12);
  const auto json = to_json(e);
  EXPECT_NEAR(json.at("base_rates").at(1).get<double>(), 0.7, 1e-12);
  EXPECT_NEAR(json.at("skill").at("brier").get<double>(), 1 - e.classification.brier / 0.42, 1e-9);
}

TEST(Evaluation, PartsOfATableAddUp) {
  const MadeFit made(81.5, 121.5, true);
  Dataset first = made.rows, second = made.rows;
  first.rows = second.rows = 5;
  first.x.resize(5);
  first.y.resize(5);
  second.x.erase(second.x.begin(), second.x.begin() + 5);
  second.y.erase(second.y.begin(), second.y.begin() + 5);
  const Constant one{.mean = 80, .sd = 1}, other{.mean = 120, .sd = 2};
  Evaluator evaluator(0.95);
  evaluator.add(made.fitted, first, 1, one);
  evaluator.add(made.fitted, second, 1, other);
  const Evaluation both = evaluator.result(), whole = evaluate(made.fitted, made.rows, 0.95, 1);
  EXPECT_NEAR(both.regression.nll, whole.regression.nll, 1e-12);
  EXPECT_EQ(both.pit.counts, whole.pit.counts);
  const double squares = 3 * 1.5 * 1.5 + 2 * 41.5 * 41.5 + 2 * 38.5 * 38.5 + 3 * 1.5 * 1.5;
  EXPECT_NEAR(both.constant_regression->rmse, std::sqrt(squares / 10), 1e-4);
  EXPECT_FALSE(whole.constant_regression);
  EXPECT_FALSE(to_json(whole).contains("skill"));
  evaluator.add(made.fitted, first, 1);
  EXPECT_FALSE(evaluator.result().constant_regression);
  EXPECT_THROW(evaluator.add(MadeFit(0, 1, false).fitted, first, 1), InputError);
}

}  // namespace
}  // namespace mbnn
