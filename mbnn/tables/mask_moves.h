// A sweep of births and deaths: by the two rules of birth-death, then those that the other nodes make up for.
#pragma once

#include "mbnn/sample/birth_death.h"
#include "mbnn/tables/chain_statistics.h"
#include "mbnn/tables/flip_density.h"
#include "mbnn/tables/mini_batches.h"
#include "mbnn/tables/refit_density.h"
#include "mbnn/tables/training_data.h"

namespace mbnn {

class MaskMoves {
 public:
  // Everything that is given must outlive it.
  MaskMoves(const Model& model, const TrainingData& data, const ChainOptions& options);

  struct Sweep {
    bool changed = false;
    double statistic = 0;  // the likelihood's, of the state that it leaves, on the rows that the last moves saw
  };
  Sweep sweep(State& state, PhaseStatistics& counts, Rng& rng);

 private:
  void bind(State& state, Rng& rng);
  bool flip(PhaseStatistics& counts, Rng& rng);
  bool refit(PhaseStatistics& counts, Rng& rng);

  const TrainingData* data_;
  const ChainOptions* options_;

  // Scratch.
  FlipDensity flips_;
  RefitDensity refits_;
  BirthDeath birth_death_;
  MiniBatches batches_;
  Batch distinct_;  // rows that were drawn without replacement
};

}  // namespace mbnn
