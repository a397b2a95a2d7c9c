// Metropolis-Hastings tests that look at some rows only: the plain one, MHBT and TunaMH, and what each guarantees.
//
// A move is judged by Σ Δ_i, Δ_i the log-likelihood of row i at the proposed state minus that at the current one,
// beside the ratios of priors and of proposals, which need no data.
//
//   test     rows           law of the chain
//   plain    a batch of m   unknown: noise in the log ratio flattens the law, the more so the noisier the batch
//   MHBT     a batch of m   about the posterior to the power 1 / T, which has the same modes; T = n / m unless chosen.
//                           Exact as the batch's sum becomes normal and its variance known, or if m = n
//   TunaMH   at random      the posterior itself, exactly, if no |Δ_i| exceeds the bound that the caller gives for it
//   sequential  batches     near the posterior: it decides as all rows at hand would, but for an error that is rare
//                           far from the threshold and common only where the ratio is near it: each batch is a
//                           further look at a few standard errors
//
// Each keeps a state where it is if a difference is not a number. Derivations: docs/sampling.md.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "mbnn/core/rng.h"

namespace mbnn {

// What is known of a move without its data, both as logs.
struct MoveRatios {
  double prior = 0;     // proposed over current; MHBT tempers it
  double proposal = 0;  // density of the way back over that of the way there, and all else that is not to be tempered
};

// Writes Δ_i of the given rows, which may repeat. Called at most once by a test.
using RowDifferences = std::function<void(std::span<const std::size_t> rows, std::span<double> differences)>;

// `count` of the rows 0 to `rows` - 1, each set of them with the same probability.
std::vector<std::size_t> draw_batch(std::size_t rows, std::size_t count, Rng& rng);

struct BatchAcceptance {
  bool accepted = false;
  std::size_t evaluated = 0;  // rows whose differences were asked for
};

// The sum over a batch, drawn without replacement and scaled by rows / batch, in place of the sum over all rows.
BatchAcceptance accept_plain(const MoveRatios& ratios, std::size_t rows, std::size_t batch,
                             const RowDifferences& differences, Rng& rng);

struct MhbtOptions {
  std::size_t batch = 100;
  double temperature = 0;  // 0: rows / batch, at which the batch's log-likelihood is used as it is
};
// What MHBT puts in the place of Σ Δ_i over all rows, given those of a batch that was drawn without replacement: for
// moves whose test is part of a larger one. NaN for a batch of one row, unless that is all.
double mhbt_change(std::span<const double> differences, std::size_t rows, double temperature);
BatchAcceptance accept_mhbt(const MoveRatios& ratios, std::size_t rows, const MhbtOptions& options,
                            const RowDifferences& differences, Rng& rng);

// Sequential (Korattikara, Chen and Welling 2014): whether Σ Δ_i over all rows is above a threshold, as far as those of
// some rows, drawn without replacement, tell. A distance of `deviations` standard errors decides; a value that is not a
// number is below.
enum class Verdict { below, undecided, above };
Verdict compare_sum(std::span<const double> differences, std::size_t rows, double threshold, double deviations);

// Chooses rows in proportion to their bounds, so it is made once for the data.
class TunaMh {
 public:
  // |Δ_i| <= bounds[i] * distance, where the distance of the two states is given with each move and is the same in both
  // directions. A larger chi evaluates more rows and rejects less.
  explicit TunaMh(std::vector<double> bounds, double chi = 0.1);

  // The number of rows that a move of this distance evaluates on average: C d + chi (C d)², C the sum of the bounds.
  // If it reaches the number of rows, all rows are evaluated once and the ordinary test is made.
  double expected_rows(double distance) const;
  // Throws a SamplerError if a difference exceeds its bound: the promise would be broken.
  BatchAcceptance accept(const MoveRatios& ratios, double distance, const RowDifferences& differences, Rng& rng) const;

 private:
  std::size_t draw_row(Rng& rng) const;

  std::vector<double> bounds_, cumulative_;
  double chi_;
};

}  // namespace mbnn
