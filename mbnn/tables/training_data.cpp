#include "mbnn/tables/training_data.h"

namespace mbnn {

TrainingData TrainingData::make(Dataset data, const ChainOptions& options) {
  TrainingData result{std::move(data), {}, 0};
  for (double y : result.rows.y) result.target_square += y * y / static_cast<double>(result.rows.rows);
  if (!options.stochastic()) result.all = Batch::all(result.rows);
  return result;
}

}  // namespace mbnn
