#include "mbnn/tables/state_bytes.h"

namespace mbnn {

void write_state(const State& state, ByteWriter& out) {
  out.put(static_cast<std::uint64_t>(state.gates.active.size()));
  for (const auto& layer : state.gates.active) out.put_all(layer);
  out.put_all(state.weights);
  out.put(state.noise_variance);
  out.put(state.weight_scale);
  out.put(state.lambda);
}

State read_state(ByteReader& in) {
  State state;
  const auto layers = in.get<std::uint64_t>();
  for (std::uint64_t l = 0; l < layers; ++l) state.gates.active.push_back(in.get_all<std::uint32_t>());
  state.weights = in.get_all<float>();
  state.noise_variance = in.get<double>();
  state.weight_scale = in.get<double>();
  state.lambda = in.get<double>();
  return state;
}

}  // namespace mbnn
