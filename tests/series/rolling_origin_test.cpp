// Rolling origins: which rows each fit has seen, what its forecasts are compared with, and scores by hand.
#include "mbnn/series/rolling_origin.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mbnn/core/error.h"
#include "mbnn/core/rng.h"

namespace mbnn {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

// Numbered steps; row i at i, but for a gap of one step behind row 29.
Table table_of(const std::vector<double>& y) {
  Table table;
  table.path = "t.csv";
  table.rows = y.size();
  Column date{"t", ColumnKind::numeric, {}, {}, {}}, target{"y", ColumnKind::numeric, y, {}, {}};
  for (std::size_t i = 0; i < y.size(); ++i) date.numbers.push_back(static_cast<double>(i < 30 ? i : i + 1));
  table.columns = {date, target};
  return table;
}

SeriesConfiguration configuration(std::vector<Season> seasons) {
  SeriesConfiguration c;
  c.base.encoding.target = "y";
  c.date = "t";
  c.series.seasons = std::move(seasons);
  c.base.chains = 1;
  c.base.chain.warmup = 5;
  c.base.chain.draws = 10;
  c.base.chain.thin = 1;
  return c;
}

std::vector<RollingForecast> run(const std::vector<double>& y, const std::vector<Season>& seasons,
                                 const RollingOptions& rolling) {
  std::vector<std::string> notes;
  return rolling_forecasts(configuration(seasons), table_of(y), rolling, {.threads = 1}, {}, notes);
}

// 50 rows: steps 0 to 50 without 30. Folds end at 50 - 6 - 8 = 36 and at 44; step 47 has no target.
TEST(RollingOrigin, StandsAtItsTimesBesideTheValueOfASeasonAgo) {
  std::vector<double> y;
  for (int row = 0; row < 50; ++row) {
    const int t = row < 30 ? row : row + 1;
    y.push_back(t % 3 == 0 ? 100 + t : t);
  }
  y[46] = kNoValue;  // step 47
  y[41] = kNoValue;  // step 42
  const auto forecasts = run(y, {3}, {.horizon = 6, .folds = 2, .between = 8});
  struct Expected {
    std::size_t fold, lead;
    const char *origin, *date;
    double actual, naive;
  };
  // The naive forecast of step 45 from 44 is that of 39, since 42 is missing.
  const std::vector<Expected> all{{0, 1, "36", "37", 37, 34},   {0, 2, "36", "38", 38, 35},
                                  {0, 3, "36", "39", 139, 136}, {0, 4, "36", "40", 40, 34},
                                  {0, 5, "36", "41", 41, 35},   {1, 1, "44", "45", 145, 139},
                                  {1, 2, "44", "46", 46, 43},   {1, 4, "44", "48", 148, 139},
                                  {1, 5, "44", "49", 49, 43},   {1, 6, "44", "50", 50, 44}};
  ASSERT_EQ(forecasts.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(i);
    const RollingForecast& f = forecasts[i];
    EXPECT_EQ(f.fold, all[i].fold);
    EXPECT_EQ(f.lead, all[i].lead);
    EXPECT_EQ(f.origin, all[i].origin);
    EXPECT_EQ(f.date, all[i].date);
    EXPECT_NEAR(f.actual, all[i].actual, 1e-4);
    EXPECT_NEAR(f.naive, all[i].naive, 1e-4);
    EXPECT_NEAR(f.scale, 3, 1e-4);  // the ramp over a season
    EXPECT_LT(f.lower, f.median);
    EXPECT_LT(f.median, f.upper);
  }
}

// Caught when broken: a fold that is trained on one row more, scales of the whole table, a forecast that takes in what
// it has forecast.
TEST(RollingOrigin, SeesNoTargetBehindItsOrigin) {
  Rng rng(2, 0);
  std::vector<double> y;
  for (int row = 0; row < 50; ++row) y.push_back(rng.normal());
  const RollingOptions rolling{.horizon = 5, .folds = 3};
  const auto before = run(y, {}, rolling);
  auto changed = y;
  for (std::size_t row = 40; row < 50; ++row) changed[row] += 1000;  // from step 41 on: behind the second origin
  const auto after = run(changed, {}, rolling);
  ASSERT_EQ(before.size(), 15u);
  ASSERT_EQ(after.size(), 15u);
  for (std::size_t i = 0; i < 15; ++i) {
    EXPECT_EQ(before[i].actual != after[i].actual, i >= 5) << i;
    EXPECT_EQ(before[i].mean != after[i].mean, i >= 10) << i;
    EXPECT_EQ(before[i].upper != after[i].upper, i >= 10) << i;
    EXPECT_EQ(before[i].naive != after[i].naive, i >= 10) << i;
    EXPECT_EQ(before[i].scale != after[i].scale, i >= 10) << i;
  }
}

TEST(RollingOrigin, ScoresAreThoseByHand) {
  RollingForecast a{0, 1, "", "", 10, 8, 9, 5, 9.5, 0.5, 14, 2}, b{0, 2, "", "", 3, 4, 3.5, 2, 4, 0.25, kNoValue, 2},
      c{1, 1, "", "", 7, 7, 7, 6, 8, 0.3, 9, kNoValue};
  const RollingScores all = score({a, b, c});
  EXPECT_EQ(all.n, 3u);
  EXPECT_NEAR(all.rmse, std::sqrt(5.0 / 3), 1e-12);
  EXPECT_NEAR(all.mae, 0.5, 1e-12);
  EXPECT_NEAR(all.crps, 0.35, 1e-12);
  EXPECT_NEAR(all.coverage, 2.0 / 3, 1e-12);
  EXPECT_NEAR(all.mase, (0.5 + 0.25) / 2, 1e-12);
  EXPECT_NEAR(all.skill, 1 - 1.0 / 6, 1e-12);
  const auto by_lead = score_by_lead({a, b, c});
  ASSERT_EQ(by_lead.size(), 2u);
  EXPECT_EQ(by_lead[0].n, 2u);
  EXPECT_NEAR(by_lead[1].mae, 0.5, 1e-12);
  EXPECT_TRUE(std::isnan(by_lead[1].skill));
}

TEST(RollingOrigin, RefusesFoldsWithoutRows) {
  const std::vector<double> y{1, 2, 3, 5, 3, 2, 4, 5, 6, 2, 3, 4, 5, 6};
  EXPECT_THROW(run(y, {}, {.horizon = 3, .folds = 3}), InputError);
  EXPECT_EQ(run(y, {}, {.horizon = 3, .folds = 1}).size(), 3u);
}

}  // namespace
}  // namespace mbnn
