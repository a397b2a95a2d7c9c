// HMC and NUTS on all rows of a table, with a step size and a metric that adapt during the warm-up.
#pragma once

#include "mbnn/sample/hmc.h"
#include "mbnn/sample/nuts.h"
#include "mbnn/tables/density.h"
#include "mbnn/tables/weight_moves.h"

namespace mbnn {

class TrajectoryMoves : public WeightMoves {
 public:
  TrajectoryMoves(const Model& model, const TrainingData& data, const ChainOptions& options);

  std::optional<double> move(Iteration now) override;
  bool on_all_rows() const override { return true; }
  double step_size(std::int64_t iteration) const override;
  Carried carried() const override;
  void take_up(Carried carried) override;

 private:
  const Model* model_;
  const TrainingData* data_;
  const ChainOptions* options_;
  DualAveraging step_size_;
  GroupMetric metric_;

  // Scratch.
  NetworkDensity density_;
  Hmc hmc_;
  Nuts nuts_;
  std::vector<float> inverse_mass_;
};

}  // namespace mbnn
