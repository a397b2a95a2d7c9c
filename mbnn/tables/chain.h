// One Markov chain: its state, its kernels run in turn, and exactly what a checkpoint holds.
#pragma once

#include <memory>
#include <vector>

#include "mbnn/sample/adapt.h"
#include "mbnn/sample/hmc.h"
#include "mbnn/sample/nuts.h"
#include "mbnn/tables/chain_options.h"
#include "mbnn/tables/chain_statistics.h"
#include "mbnn/tables/density.h"
#include "mbnn/tables/flip_density.h"
#include "mbnn/tables/gibbs_block.h"
#include "mbnn/tables/refit.h"
#include "mbnn/tables/training_data.h"

namespace mbnn {

class Chain {
 public:
  Chain(const Model& model, const TrainingData& data, const ChainOptions& options, std::uint64_t seed,
        std::uint64_t index);

  // Makes this chain a part of a larger model; before start() or restore().
  void attach(std::unique_ptr<GibbsBlock> block) { block_ = std::move(block); }
  const GibbsBlock* block() const { return block_.get(); }

  // Runs the warm start. A restored chain does not need it.
  void start();
  // Starts from a given state instead, such as a draw from the prior.
  void start_from(State state);
  // Every iteration starts from what a checkpoint holds and nothing else, so a resumed chain continues to the same
  // bits.
  void iterate();

  std::int64_t iteration() const { return iteration_; }
  bool warming_up() const { return iteration_ < options_->warmup; }
  // True after an iteration whose state is a draw to keep.
  bool at_draw() const;
  const State& state() const { return state_; }
  // Of the current state on the training rows (stochastic samplers: estimated on the iteration's mini-batches).
  double log_posterior() const { return log_posterior_; }
  double training_error() const { return training_error_; }  // RMSE in scaled units, or mean -log p
  const PhaseStatistics& warmup_statistics() const { return warmup_; }
  const PhaseStatistics& sampling_statistics() const { return sampling_; }
  double step_size() const;
  double start_seconds() const { return start_seconds_; }

  std::vector<std::byte> checkpoint() const;
  static void check_version(std::span<const std::byte> checkpoint);  // InputError if restore() could not read it
  void restore(std::span<const std::byte> bytes);

 private:
  PhaseStatistics& phase() { return warming_up() ? warmup_ : sampling_; }
  void move_weights();
  void run_batches();
  bool exploded(double mean_statistic) const;
  void note_fit(double statistic);
  void bind_masks();
  double move_masks();  // returns the statistic of the state that it leaves
  void draw_noise(double statistic, double rows);
  void draw_scale();
  void draw_lambda();
  void next_batch();
  void learn_batch_metric();
  void move_block();

  const Model* model_;
  const TrainingData* data_;
  const ChainOptions* options_;
  Rng rng_;
  State state_;
  std::int64_t iteration_ = 0;
  DualAveraging step_size_;
  GroupMetric metric_;
  std::vector<float> velocity_;  // sghmc; at rest
  std::int64_t undone_ = 0;      // iterations in a row that had to be undone
  State good_;                   // where they return to: before the mask moves, which saw one mini-batch only
  PhaseStatistics warmup_, sampling_;
  std::unique_ptr<GibbsBlock> block_;
  double log_posterior_ = 0, training_error_ = 0, start_seconds_ = 0;

  // Scratch, empty between iterations as far as results go.
  NetworkDensity density_;
  FlipDensity flips_;
  RefitDensity refits_;
  BirthDeath birth_death_;
  Hmc hmc_;
  Nuts nuts_;
  Batch batch_;
  std::vector<std::size_t> batch_rows_;
  std::vector<float> inverse_mass_, gradient_;
};

}  // namespace mbnn
