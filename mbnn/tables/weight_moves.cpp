#include "mbnn/tables/weight_moves.h"

#include "mbnn/tables/batch_moves.h"
#include "mbnn/tables/state_bytes.h"
#include "mbnn/tables/trajectory_moves.h"

namespace mbnn {

void Carried::write(ByteWriter& out) const {
  out.put(step_size);
  out.put_all(metric_groups);
  out.put(metric_count);
  out.put_all(velocity);
  out.put(undone);
  write_state(good, out);
}

Carried Carried::read(ByteReader& in) {
  Carried carried;
  carried.step_size = in.get<DualAveraging::Numbers>();
  carried.metric_groups = in.get_all<double>();
  carried.metric_count = in.get<double>();
  carried.velocity = in.get_all<float>();
  carried.undone = in.get<std::int64_t>();
  carried.good = read_state(in);
  return carried;
}

std::unique_ptr<WeightMoves> make_weight_moves(const Model& model, const TrainingData& data,
                                               const ChainOptions& options) {
  if (options.stochastic()) return std::make_unique<BatchMoves>(model, data, options);
  return std::make_unique<TrajectoryMoves>(model, data, options);
}

}  // namespace mbnn
