// One Markov chain: its state, its moves in their order, and exactly what a checkpoint holds.
#pragma once

#include <memory>
#include <vector>

#include "mbnn/tables/chain_options.h"
#include "mbnn/tables/chain_statistics.h"
#include "mbnn/tables/gibbs_block.h"
#include "mbnn/tables/training_data.h"

namespace mbnn {

class MaskMoves;
class WeightMoves;

class Chain {
 public:
  // Rung 0 of a ladder is the chain itself; the others have random numbers of their own.
  Chain(const Model& model, const TrainingData& data, const ChainOptions& options, std::uint64_t seed,
        std::uint64_t index, std::uint64_t rung = 0);
  ~Chain();

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
  // The power of likelihood and width prior that the chain samples once it has annealed. On hot rungs it is below 1.
  void set_power(double power) { power_ = power; }
  double power() const { return power_; }
  // Whether the last iteration was at that power.
  bool annealed() const { return model_.likelihood.power == power_; }
  // Exchanges states with a chain of another power, and draws afresh what an exchange leaves open.
  void exchange(Chain& other);
  void settle();
  // The likelihood's statistic of the current state on the training rows, as the last iteration left it.
  double statistic() const { return statistic_; }
  const Model& model() const { return model_; }
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
  void anneal();
  void note_fit(double statistic);
  void move_block();

  Model model_;  // at the power of the iteration
  double power_ = 1;
  const TrainingData* data_;
  const ChainOptions* options_;
  std::size_t start_width_;
  Rng rng_;
  State state_;
  std::int64_t iteration_ = 0;
  PhaseStatistics warmup_, sampling_;
  double statistic_ = 0, log_posterior_ = 0, training_error_ = 0, start_seconds_ = 0;

  std::unique_ptr<WeightMoves> weights_;
  std::unique_ptr<MaskMoves> masks_;
  std::unique_ptr<GibbsBlock> block_;
};

}  // namespace mbnn
