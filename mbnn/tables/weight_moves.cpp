#include "mbnn/tables/weight_moves.h"

#include <algorithm>

#include "mbnn/core/finite.h"
#include "mbnn/tables/batch_moves.h"
#include "mbnn/tables/state_bytes.h"
#include "mbnn/tables/trajectory_moves.h"

namespace mbnn {

namespace {

bool is_count(double value) { return value >= 0 && value <= 1e15; }

}  // namespace

void Carried::write(ByteWriter& out) const {
  out.put(step_size);
  out.put_all(metric_groups);
  out.put(metric_count);
  out.put_all(velocity);
  out.put(undone);
  write_state(good, out);
}

// The step size of a chain that never accepts can fall to 0.
Carried Carried::read(ByteReader& in, const Model& model) {
  Carried carried;
  carried.step_size = in.get<DualAveraging::Numbers>();
  carried.metric_groups = in.get_all<double>();
  carried.metric_count = in.get<double>();
  carried.velocity = in.get_all<float>();
  carried.undone = in.get<std::int64_t>();
  carried.good = read_state_or_none(in, model);
  const auto& step = carried.step_size;
  require_content(std::isfinite(step.target) && std::isfinite(step.centre) && std::isfinite(step.error_sum) &&
                      std::isfinite(step.step_size) && step.step_size >= 0 && std::isfinite(step.averaged) &&
                      step.averaged >= 0 && is_count(step.count),
                  "the adaptation of a step size is none that can be");
  const auto& groups = carried.metric_groups;
  const std::size_t maps = model.architecture.caps.size() + 1;
  require_content(groups.size() == model.architecture.inputs + 2 * maps - 1 && all_finite(groups) &&
                      std::ranges::min(groups) >= 0 && is_count(carried.metric_count),
                  "the metric of a checkpoint does not fit the network");
  require_content(all_finite(carried.velocity), "a velocity is not finite");
  require_content(carried.undone >= 0 && carried.undone <= 1000, "more iterations were undone than ever are");
  return carried;
}

std::unique_ptr<WeightMoves> make_weight_moves(const Model& model, const TrainingData& data,
                                               const ChainOptions& options) {
  if (options.stochastic()) return std::make_unique<BatchMoves>(model, data, options);
  return std::make_unique<TrajectoryMoves>(model, data, options);
}

}  // namespace mbnn
