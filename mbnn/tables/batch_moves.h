// SGLD and SGHMC on mini-batches of a table, without an acceptance test: iterations that left all bounds are undone.
#pragma once

#include "mbnn/tables/density.h"
#include "mbnn/tables/mini_batches.h"
#include "mbnn/tables/weight_moves.h"

namespace mbnn {

class BatchMoves : public WeightMoves {
 public:
  BatchMoves(const Model& model, const TrainingData& data, const ChainOptions& options);

  void start(const State& state, Rng& rng) override;
  // After an iteration that was undone the next try takes half the step, until one succeeds. Throws SamplerError when
  // none does.
  std::optional<double> move(Iteration now) override;
  bool on_all_rows() const override { return false; }
  void nodes_changed() override { velocity_.clear(); }
  double step_size(std::int64_t iteration) const override;
  Carried carried() const override;
  void take_up(Carried carried) override;

 private:
  void bind_next_batch(const State& state, Rng& rng);
  bool exploded() const;
  std::optional<double> run(Iteration& now, double step);
  void undo(Iteration& now, GroupMetric metric);

  const Model* model_;
  const TrainingData* data_;
  const ChainOptions* options_;
  GroupMetric metric_;
  std::vector<float> velocity_;  // sghmc; at rest between iterations, empty if it is to be drawn
  std::int64_t undone_ = 0;      // iterations in a row
  State good_;                   // where they return to: before the mask moves, which saw one mini-batch only

  // Scratch.
  NetworkDensity density_;
  MiniBatches batches_;
  std::size_t bound_rows_ = 0;
  std::vector<float> inverse_mass_, gradient_;
};

}  // namespace mbnn
