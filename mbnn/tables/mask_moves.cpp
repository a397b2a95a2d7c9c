#include "mbnn/tables/mask_moves.h"

#include <algorithm>

#include "mbnn/sample/batch_acceptance.h"
#include "mbnn/sample/birth_death_moves.h"
#include "mbnn/tables/refit.h"

namespace mbnn {

MaskMoves::MaskMoves(const Model& model, const TrainingData& data, const ChainOptions& options)
    : data_(&data),
      options_(&options),
      flips_(model),
      refits_(model),
      birth_death_(options.birth_death),
      batches_(data.rows, options.batch) {
  const double n = static_cast<double>(data.rows.rows), batch = static_cast<double>(options.batch);
  if (options.mask_test == MaskTest::mhbt)
    birth_death_.judge_by(Tempering{.rows = data.rows.rows, .temperature = std::max(1.0, n / batch)});
}

// What each test guarantees: docs/sampling.md.
void MaskMoves::bind(State& state, Rng& rng) {
  if (!options_->stochastic()) {
    flips_.bind(*data_->all, state);
  } else if (options_->mask_test == MaskTest::mhbt) {
    const std::size_t n = data_->rows.rows;
    distinct_.gather(data_->rows, draw_batch(n, std::min(options_->batch, n), rng));
    flips_.bind(distinct_, state);  // at its temperature the batch counts as it is
  } else {
    flips_.bind(batches_.draw(rng), state, batches_.scale());
  }
  birth_death_.forget();
}

MaskMoves::Sweep MaskMoves::sweep(State& state, PhaseStatistics& counts, Rng& rng) {
  bind(state, rng);
  Sweep result;
  for (std::size_t move = 0; move < options_->mask_moves; ++move) {
    if (move > 0 && options_->mask_test == MaskTest::mhbt) bind(state, rng);
    if (flip(counts, rng)) result.changed = true;
  }
  result.statistic = flips_.statistic();
  if (options_->stochastic() || options_->refit_moves == 0) return result;

  refits_.bind(*data_->all, state);
  for (std::size_t move = 0; move < options_->refit_moves; ++move)
    if (refit(counts, rng)) result.changed = true;
  result.statistic = refits_.statistic();
  return result;
}

bool MaskMoves::flip(PhaseStatistics& counts, Rng& rng) {
  const MoveInfo info = birth_death_.step(flips_, rng);
  const bool birth = info.direction == Direction::birth, accepted = info.outcome == MoveInfo::Outcome::accepted;
  ++(birth ? counts.births_tried : counts.deaths_tried)[info.flips - 1];
  if (accepted) ++(birth ? counts.births_accepted : counts.deaths_accepted)[info.flips - 1];
  return accepted;
}

bool MaskMoves::refit(PhaseStatistics& counts, Rng& rng) {
  const MoveInfo info = refit_step(refits_, options_->refit_candidates, rng);
  const bool accepted = info.outcome == MoveInfo::Outcome::accepted;
  const std::size_t first = info.direction == Direction::birth ? 0 : 2;
  ++counts.refits[first];
  if (accepted) ++counts.refits[first + 1];
  return accepted;
}

}  // namespace mbnn
