// What a chain asks of the moves of its weights, by trajectories on all rows or by steps on mini-batches.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "mbnn/core/bytes.h"
#include "mbnn/core/rng.h"
#include "mbnn/sample/adapt.h"
#include "mbnn/tables/chain_statistics.h"
#include "mbnn/tables/state.h"
#include "mbnn/tables/training_data.h"

namespace mbnn {

// What a move of an iteration is given, and changes.
struct Iteration {
  std::int64_t number = 0;
  bool warming_up = false;
  State& state;
  PhaseStatistics& counts;
  Rng& rng;
};

// What weight moves carry from one iteration to the next, as checkpoints hold it. Each kind has a use for some of it.
struct Carried {
  DualAveraging::Numbers step_size{};  // trajectories
  std::vector<double> metric_groups;
  double metric_count = 0;
  std::vector<float> velocity;  // sghmc
  std::int64_t undone = 0;      // mini-batches: iterations in a row that had to be undone
  State good;                   // ... and where they return to

  void write(ByteWriter& out) const;
  static Carried read(ByteReader& in, const Model& model);
};

class WeightMoves {
 public:
  virtual ~WeightMoves() = default;

  // Looks at the state of the warm start before the first iteration.
  virtual void start(const State&, Rng&) {}
  // Moves the weights, and the noise given them. Returns the likelihood's statistic on the training rows, of the
  // weights that it leaves; nothing if the iteration was undone.
  virtual std::optional<double> move(Iteration now) = 0;
  // False: what move() returns is an estimate, and masks move on mini-batches, too.
  virtual bool on_all_rows() const = 0;
  // After a birth or death.
  virtual void nodes_changed() {}
  virtual double step_size(std::int64_t iteration) const = 0;

  virtual Carried carried() const = 0;
  virtual void take_up(Carried carried) = 0;
};

// Those of options.sampler. Everything that is given must outlive them.
std::unique_ptr<WeightMoves> make_weight_moves(const Model& model, const TrainingData& data,
                                               const ChainOptions& options);

}  // namespace mbnn
