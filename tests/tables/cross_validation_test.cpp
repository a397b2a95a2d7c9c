// Folds: how they are dealt, and that what is held out leaves no trace in the fit.
#include "mbnn/tables/cross_validation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mbnn/core/error.h"

namespace mbnn {
namespace {

using Folds = std::vector<std::vector<std::size_t>>;

// Caught: each class dealt from the first fold on, which then has one row more of each.
TEST(DealFolds, SpreadsRowsAndClassesEvenly) {
  std::vector<std::size_t> classes(103);
  for (std::size_t i = 0; i < classes.size(); ++i) classes[i] = i % 7 == 0 ? 1 : i % 13 == 0 ? 2 : 0;
  Rng rng(1);
  const Folds folds = deal_folds(classes, 5, rng);
  std::vector<std::size_t> seen;
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<std::ptrdiff_t> counts;
    for (const auto& fold : folds)
      counts.push_back(std::ranges::count_if(fold, [&](std::size_t row) { return classes[row] == k; }));
    const auto [least, most] = std::ranges::minmax(counts);
    EXPECT_LE(most - least, 1) << "class " << k;
  }
  std::size_t least = 103, most = 0;
  for (const auto& fold : folds) {
    EXPECT_TRUE(std::ranges::is_sorted(fold));
    least = std::min(least, fold.size());
    most = std::max(most, fold.size());
    seen.insert(seen.end(), fold.begin(), fold.end());
  }
  EXPECT_LE(most - least, 1u);
  std::ranges::sort(seen);
  for (std::size_t i = 0; i < 103; ++i) EXPECT_EQ(seen.at(i), i);
}

// Any two rows share one of two folds of 10 with probability 4/9 + ...: of 2000 seeds, rows 0 and 1 do in 9/19 of all
// cases, with a standard error of 0.0112.
TEST(DealFolds, IsRandomAndOfItsSeed) {
  const std::vector<std::size_t> one_class(20);
  double together = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Rng rng(seed), again(seed);
    const Folds folds = deal_folds(one_class, 2, rng);
    EXPECT_EQ(folds, deal_folds(one_class, 2, again));
    together += std::ranges::count(folds[0], 0u) == std::ranges::count(folds[0], 1u);
  }
  EXPECT_NEAR(together / 2000, 9.0 / 19, 3.9 * 0.0112);
}

TEST(DealFolds, RefusesWhatCannotBe) {
  const std::vector<std::size_t> rows(4);
  Rng rng(1);
  EXPECT_EQ(deal_folds(rows, 4, rng).size(), 4u);
  EXPECT_THROW(deal_folds(rows, 5, rng), OptionError);
  EXPECT_THROW(deal_folds(rows, 1, rng), OptionError);
}

// Twelve rows, of which row 4 has no target.
Table small_table() {
  Table table;
  table.path = "small.csv";
  table.rows = 12;
  table.columns.resize(2);
  table.columns[0].name = "x";
  table.columns[1].name = "y";
  for (std::size_t i = 0; i < table.rows; ++i) {
    table.columns[0].numbers.push_back(std::sqrt(static_cast<double>(i)));
    table.columns[1].numbers.push_back(i == 4 ? std::nan("") : static_cast<double>(5 * i % 13) + 0.5);
  }
  return table;
}

Configuration quick_configuration() {
  Configuration c;
  c.encoding.target = "y";
  c.hidden = {5};
  return c;
}

// What is held out may be anything: the problem of the fold stays as it is, to the bit. Caught: an encoding learnt from
// the whole table.
TEST(CrossValidation, HeldOutRowsLeaveNoTrace) {
  std::vector<std::string> notes;
  CrossValidation cv(quick_configuration(), small_table(), 3, 0.95, notes);
  EXPECT_EQ(cv.rows(), 11u);
  for (std::size_t fold = 0; fold < 3; ++fold) {
    const TableProblem plain = cv.problem(fold);
    EXPECT_EQ(plain.rows().rows, 11 - cv.fold_rows(fold));
    Table other = small_table();
    std::size_t changed = 0;
    for (std::size_t row = 0; row < 12; ++row) {
      const double y = (other.columns[1].numbers[row] - plain.columns().target_mean()) / plain.columns().target_sd();
      const bool used = std::ranges::any_of(plain.rows().y, [&](float v) { return std::abs(v - y) < 1e-5; });
      if (used || row == 4) continue;
      other.columns[0].numbers[row] += 1000;
      other.columns[1].numbers[row] += 500;
      ++changed;
    }
    ASSERT_EQ(changed, cv.fold_rows(fold));
    CrossValidation disturbed(quick_configuration(), std::move(other), 3, 0.95, notes);
    const TableProblem same = disturbed.problem(fold);
    EXPECT_EQ(same.columns(), plain.columns());
    EXPECT_EQ(same.rows().x, plain.rows().x);
    EXPECT_EQ(same.rows().y, plain.rows().y);
  }
}

// All rows are scored once, by the constant of their own fold's training rows.
TEST(CrossValidation, PoolsTheFolds) {
  std::vector<std::string> notes;
  Configuration c = quick_configuration();
  c.chains = 1;
  c.chain.warmup = c.chain.draws = 2;
  c.chain.thin = 1;
  c.chain.start = {.widths = {2}, .steps = 1};
  CrossValidation cv(c, small_table(), 3, 0.95, notes);
  double squares = 0, absolute = 0, rows = 0;
  for (std::size_t fold = 0; fold < 3; ++fold) {
    const TableProblem problem = cv.problem(fold);
    DrawLists draws;
    ASSERT_TRUE(run_in_memory(problem, {.threads = 1}, draws));
    const Evaluation e = cv.score(fold, problem, fitted_model(problem, std::move(draws)), 1);
    ASSERT_EQ(e.rows(), cv.fold_rows(fold));
    const double n = static_cast<double>(e.rows());
    squares += n * e.constant_regression->rmse * e.constant_regression->rmse;
    absolute += n * e.regression.mae;
    rows += n;
  }
  const Evaluation pooled = cv.result();
  EXPECT_EQ(pooled.rows(), 11u);
  EXPECT_NEAR(pooled.constant_regression->rmse, std::sqrt(squares / rows), 1e-9);
  EXPECT_NEAR(pooled.regression.mae, absolute / rows, 1e-9);
}

// A class of one row would be unknown wherever it is to be predicted.
TEST(CrossValidation, RefusesClassesOfOneRow) {
  Table table = small_table();
  for (std::size_t i = 0; i < 12; ++i) table.columns[1].numbers[i] = i == 7 ? 2 : static_cast<double>(i % 2);
  Configuration c = quick_configuration();
  c.encoding.task = Task::classification;
  std::vector<std::string> notes;
  EXPECT_THROW(CrossValidation(c, table, 3, 0.95, notes), InputError);
  table.columns[1].numbers[5] = 2;
  const CrossValidation cv(c, table, 3, 0.95, notes);
  for (std::size_t fold = 0; fold < 3; ++fold) EXPECT_EQ(cv.problem(fold).columns().labels(), cv.columns().labels());
}

}  // namespace
}  // namespace mbnn
