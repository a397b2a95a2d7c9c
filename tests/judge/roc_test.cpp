// The area under the ROC curve: against the count over all pairs, and by hand for several classes.
#include "mbnn/judge/roc.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mbnn/core/rng.h"

namespace mbnn {
namespace {

// Caught: tied rows ranked in the order of the table.
TEST(Roc, IsTheShareOfPairsInOrder) {
  Rng rng(3);
  std::vector<RankedRow> rows;
  for (int i = 0; i < 60; ++i) rows.push_back({static_cast<double>(rng.below(12)), rng.below(3) == 0});
  double ordered = 0, pairs = 0;
  for (const auto& a : rows)
    for (const auto& b : rows) {
      if (!a.positive || b.positive) continue;
      ++pairs;
      ordered += a.score > b.score ? 1 : a.score == b.score ? 0.5 : 0;
    }
  EXPECT_NEAR(area_under_roc(rows), ordered / pairs, 1e-12);
}

TEST(Roc, WithoutTwoSidesIsNoNumber) {
  EXPECT_TRUE(std::isnan(area_under_roc({})));
  EXPECT_TRUE(std::isnan(area_under_roc({{0.5, true}, {0.6, true}})));
  EXPECT_TRUE(std::isnan(area_under_roc({{0.5, true}, {std::nan(""), false}})));
}

// Class 2 never occurs and counts nowhere. Class 0: 0.7 and 0.5 against 0.6: 1/2. Class 1: 0.4 against 0.2, 0.45: 1/2.
TEST(Roc, OfSeveralClassesIsAMean) {
  const std::vector<double> p{0.7, 0.2, 0.1, 0.5, 0.45, 0.05, 0.6, 0.4, 0};
  EXPECT_DOUBLE_EQ(area_under_roc(p, std::vector<std::size_t>{0, 0, 1}, 3), 0.5);
  const std::vector<double> two{0.9, 0.1, 0.4, 0.6, 0.3, 0.7};
  EXPECT_DOUBLE_EQ(area_under_roc(two, std::vector<std::size_t>{0, 1, 0}, 2), 0.5);
}

}  // namespace
}  // namespace mbnn
