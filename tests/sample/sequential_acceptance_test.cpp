// The sequential test as birth-death asks it: batch after batch, with the prior, the rest of the ratio and the share of
// the rows that the batches hold.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mbnn/sample/birth_death_moves.h"

namespace mbnn {
namespace {

// A move of which only the differences of its rows and of the mask prior are known.
struct KnownMove {
  enum class At { current, proposed };
  struct Candidate {};
  static constexpr std::size_t kBatch = 20;

  std::vector<double> rows;  // batch after batch
  double masks = 0;
  std::size_t compared = 0;

  std::size_t batches() const { return rows.size() / kBatch; }
  std::size_t rows_of_batches() const { return rows.size(); }
  std::size_t batches_compared() const { return compared; }
  std::span<const double> differences(std::size_t count) {
    compared = std::max(compared, count);
    return std::span(rows).first(count * kBatch);
  }
  double log_mask_prior(At at) const { return at == At::proposed ? masks : 0; }
  double log_likelihood(At) const {
    ADD_FAILURE() << "not that of all batches";
    return 0;
  }
  double sum() const { return std::accumulate(rows.begin(), rows.end(), 0.0); }

  // What the moves need beside that.
  std::size_t layers() const { return 1; }
  std::size_t active(std::size_t, At = At::current) const { return 1; }
  std::size_t cap(std::size_t) const { return 1; }
  std::vector<Candidate> draw_candidates(At, std::span<const std::size_t>, Rng&) const { return {}; }
  std::vector<Candidate> leaving_candidates() const { return {}; }
  std::vector<double> gate_derivatives(At, std::span<const Candidate>) { return {}; }
  void propose_birth(std::span<const Candidate>, Rng&) {}
  void propose_death(std::vector<Node>) {}
  void accept(Rng&) {}
};
static_assert(PooledDensity<KnownMove>);

KnownMove random_move(std::size_t batches, Rng& rng) {
  KnownMove move;
  for (std::size_t i = 0; i < batches * KnownMove::kBatch; ++i) move.rows.push_back(rng.normal());
  return move;
}

// So many standard errors are never reached before the last batch, which then decides as all rows do: those of the
// batches stand for n. The parts of the ratio are all of the size of n / rows times the sum, so that none can be
// forgotten.
// Caught when broken: the threshold without rows / n, or without the prior.
TEST(SequentialAcceptance, AllBatchesDecideAsTheWholeRatio) {
  Rng rng(1);
  int accepted = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    KnownMove move = random_move(10, rng);
    const double rows = static_cast<double>(move.rows.size()), n = rows * (trial % 2 ? 1.0 : 25.0);
    const double size = n / rows * std::sqrt(rows);
    move.masks = size * rng.normal();
    const double log_rest = size * rng.normal(), log_uniform = -size * rng.exponential();
    const bool expected = n / rows * move.sum() + move.masks + log_rest > log_uniform;
    const BatchTest test = SequentialTest{.rows = static_cast<std::size_t>(n), .deviations = 1e9};
    EXPECT_EQ(accepts(move, test, log_rest, log_uniform), expected) << trial;
    accepted += expected;
  }
  EXPECT_GT(accepted, 500);  // or too few of one kind would have been seen
  EXPECT_LT(accepted, 1700);
}

// At three standard errors. Decisions two standard deviations of the whole sum from the threshold go wrong at some of
// 19 looks, most of them dependent, in a few of a hundred; those thirty from it never, and soon.
TEST(SequentialAcceptance, FewBatchesDecideAsAllWould) {
  Rng rng(2);
  const int trials = 400;
  int wrong = 0;
  double batches_far = 0;
  for (int trial = 0; trial < trials; ++trial)
    for (const double distance : {-30.0, -2.0, 2.0, 30.0}) {
      KnownMove move = random_move(20, rng);
      const double share = 0.1, sd = std::sqrt(static_cast<double>(move.rows.size()));
      move.masks = 3;
      const double log_rest = -(move.sum() - distance * sd) / share - move.masks - 1.5;
      const BatchTest test = SequentialTest{.rows = static_cast<std::size_t>(sd * sd / share + 0.5), .deviations = 3};
      const bool right = accepts(move, test, log_rest, -1.5) == (distance > 0);
      if (std::abs(distance) < 10) {
        wrong += !right;
      } else {
        EXPECT_TRUE(right) << distance;
        batches_far += static_cast<double>(move.compared) / (2 * trials);
      }
    }
  EXPECT_LT(wrong, 2 * trials * 8 / 100);
  EXPECT_LT(batches_far, 3);
}

// The first batch is the one that a move was fitted to. One that praises what all others condemn does not get the move
// accepted; one that condemns it does not need the others.
// Caught when broken: the first batch may accept alone.
TEST(SequentialAcceptance, TheFirstBatchMayRejectAloneAndNotAccept) {
  Rng rng(3);
  for (int trial = 0; trial < 50; ++trial)
    for (const double sign : {1.0, -1.0}) {
      KnownMove move = random_move(10, rng);
      for (std::size_t i = 0; i < move.rows.size(); ++i)
        move.rows[i] = 0.1 * move.rows[i] + sign * (i < KnownMove::kBatch ? 1 : -1);
      const BatchTest test = SequentialTest{.rows = 5000};
      EXPECT_FALSE(accepts(move, test, 0, -1));
      EXPECT_EQ(move.compared == 1, sign < 0);
      KnownMove alone{{move.rows.begin(), move.rows.begin() + KnownMove::kBatch}};
      EXPECT_EQ(accepts(alone, test, 0, -1), sign > 0);  // where there is no other
    }
}

}  // namespace
}  // namespace mbnn
