// The rows that a chain learns from, in the forms in which its moves read them.
#pragma once

#include <optional>

#include "mbnn/net/dense/batch.h"
#include "mbnn/tables/chain_options.h"

namespace mbnn {

// Chains read it and never change it: those of a table share one. A series has one for each chain, and its Gibbs block
// rewrites the targets, in `rows` and `all`, when it is its turn.
struct TrainingData {
  Dataset rows;
  std::optional<Batch> all;  // present unless only mini-batches are used
  double target_square = 0;  // regression: the mean of y²

  static TrainingData make(Dataset data, const ChainOptions& options);
};

}  // namespace mbnn
