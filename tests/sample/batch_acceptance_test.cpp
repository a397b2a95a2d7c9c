// Acceptance tests on mini-batches: the rows that they draw and look at, and what they refuse.
#include "mbnn/sample/batch_acceptance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "mbnn/core/error.h"

namespace mbnn {
namespace {

TEST(TunaMh, ExpectedRowsAndTheFallBackToAllRows) {
  const TunaMh test(std::vector<double>(50, 0.02), 0.5);
  EXPECT_NEAR(test.expected_rows(1), 1 + 0.5, 1e-12);
  Rng rng(5);
  std::size_t evaluated = 0;
  auto no_change = [](std::span<const std::size_t>, std::span<double> values) {
    std::fill(values.begin(), values.end(), 0);
  };
  for (int t = 0; t < 10000; ++t) {
    const BatchAcceptance info = test.accept({}, 1, no_change, rng);
    EXPECT_TRUE(info.accepted);  // nothing changes
    evaluated += info.evaluated;
  }
  // Poisson of mean 1.5: 3.9 standard errors.
  EXPECT_NEAR(static_cast<double>(evaluated) / 10000, 1.5, 3.9 * std::sqrt(1.5 / 10000));
  EXPECT_EQ(test.accept({}, 20, no_change, rng).evaluated, 50u);  // 20 + 0.5 * 400 would be more than 50
}

TEST(TunaMh, ABrokenPromiseIsAnError) {
  const TunaMh test(std::vector<double>(50, 0.2), 0.1);
  Rng rng(6);
  auto large = [](std::span<const std::size_t>, std::span<double> values) {
    std::fill(values.begin(), values.end(), 0.25);
  };
  EXPECT_THROW(
      {
        for (int t = 0; t < 100; ++t) test.accept({}, 1, large, rng);
      },
      SamplerError);
  EXPECT_THROW(TunaMh({}, 0.1), InputError);
  EXPECT_THROW(TunaMh({1.0, -1.0}, 0.1), InputError);
  EXPECT_THROW(TunaMh({1.0, std::numeric_limits<double>::infinity()}, 0.1), InputError);
}

// Batches of 50 of 2,000 rows are looked at until the sum is three standard errors from the threshold. The right side
// must be found nearly always, with few rows where the sum is far and with many where it is near. Seen to fail with a
// standard error that lacks the factor of the rows' number.
TEST(SequentialTest, DecidesAsAllRowsWould) {
  Rng rng(7);
  const std::size_t rows = 2000, batch = 50;
  std::vector<double> values(rows);
  double sum = 0;
  for (double& v : values) sum += v = rng.normal();
  const double whole_sd = std::sqrt(static_cast<double>(rows));  // of a sum of that many
  const auto decide = [&](double threshold, std::size_t& used) {
    const auto order = draw_batch(rows, rows, rng);
    std::vector<std::size_t> shuffled(order);
    for (std::size_t i = rows; i > 1; --i) std::swap(shuffled[i - 1], shuffled[rng.below(i)]);
    std::vector<double> seen;
    for (used = batch; used <= rows; used += batch) {
      while (seen.size() < used) seen.push_back(values[shuffled[seen.size()]]);
      const Verdict verdict = compare_sum(seen, rows, threshold, 3);
      if (verdict != Verdict::undecided) return verdict == Verdict::above;
    }
    ADD_FAILURE() << "all rows decide";
    return false;
  };
  double near_rows = 0, far_rows = 0;
  int wrong = 0;
  const int trials = 400;
  for (int i = 0; i < trials; ++i) {
    std::size_t used = 0;
    wrong += decide(sum + 2 * whole_sd, used);
    wrong += !decide(sum - 2 * whole_sd, used);
    near_rows += static_cast<double>(used) / trials;
    wrong += decide(sum + 40 * whole_sd, used);
    far_rows += static_cast<double>(used) / trials;
  }
  // 40 looks at three standard errors, most of them dependent: an error in a few of a hundred at most.
  EXPECT_LT(wrong, trials * 3 * 3 / 100);
  EXPECT_LT(far_rows, 60);
  EXPECT_GT(near_rows, 600);
  EXPECT_EQ(compare_sum(values, rows, sum - 1e-6, 3), Verdict::above);
  EXPECT_EQ(compare_sum(values, rows, sum + 1e-6, 3), Verdict::below);
  values[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(compare_sum(std::span(values).first(10), rows, -1e9, 3), Verdict::below);
}

TEST(BatchAcceptance, BatchesAreSetsOfRowsWithEqualChances) {
  Rng rng(13);
  std::vector<double> seen(10, 0);
  for (int t = 0; t < 10000; ++t)
    accept_plain(
        {}, 10, 4,
        [&](std::span<const std::size_t> rows, std::span<double>) {
          for (std::size_t i = 0; i < rows.size(); ++i) {
            ++seen.at(rows[i]);
            for (std::size_t j = 0; j < i; ++j) EXPECT_NE(rows[i], rows[j]);
          }
        },
        rng);
  // Binomial(10000, 0.4) each: 4.2 standard errors for ten of them.
  for (double count : seen) EXPECT_NEAR(count, 4000, 4.2 * std::sqrt(10000 * 0.4 * 0.6));
}

TEST(BatchAcceptance, NotANumberIsRejectedAndBadBatchesAreRefused) {
  Rng rng(14);
  auto nan = [](std::span<const std::size_t>, std::span<double> values) { values[0] = std::nan(""); };
  const TunaMh tuna(std::vector<double>(20, 0.5), 0.01);
  for (int t = 0; t < 200; ++t) {
    EXPECT_FALSE(accept_plain({.prior = 50}, 20, 5, nan, rng).accepted);
    EXPECT_FALSE(accept_mhbt({.prior = 50}, 20, {.batch = 5}, nan, rng).accepted);
    const BatchAcceptance info = tuna.accept({.prior = 50}, 1, nan, rng);
    EXPECT_TRUE(info.evaluated == 0 || !info.accepted);
  }
  auto zero = [](std::span<const std::size_t>, std::span<double>) {};
  EXPECT_THROW(accept_plain({}, 10, 11, zero, rng), InputError);
  EXPECT_THROW(accept_plain({}, 10, 0, zero, rng), InputError);
  EXPECT_THROW(accept_mhbt({}, 10, {.batch = 1}, zero, rng), InputError);
  EXPECT_THROW(accept_mhbt({}, 10, {.batch = 5, .temperature = 0.5}, zero, rng), InputError);
}

}  // namespace
}  // namespace mbnn
