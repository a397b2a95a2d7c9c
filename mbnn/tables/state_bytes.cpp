#include "mbnn/tables/state_bytes.h"

#include <algorithm>

#include "mbnn/core/finite.h"

namespace mbnn {

namespace {

State read_numbers(ByteReader& in) {
  State state;
  const auto layers = in.get<std::uint64_t>();
  require_content(layers <= in.left() / sizeof(std::uint64_t), "stored bytes end too early");
  for (std::uint64_t l = 0; l < layers; ++l) state.gates.active.push_back(in.get_all<std::uint32_t>());
  state.weights = in.get_all<float>();
  state.noise_variance = in.get<double>();
  state.weight_scale = in.get<double>();
  state.lambda = in.get<double>();
  return state;
}

// Kernels and moves take all of this for granted.
void check(const State& state, const Model& model) {
  const auto& caps = model.architecture.caps;
  require_content(state.gates.active.size() == caps.size(),
                  "a state has another number of hidden layers than the configuration");
  for (std::size_t l = 0; l < caps.size(); ++l) {
    auto nodes = state.gates.active[l];
    std::ranges::sort(nodes);
    require_content(!nodes.empty() && nodes.back() < caps[l] && std::ranges::adjacent_find(nodes) == nodes.end(),
                    "a layer of a state has no nodes, nodes that cannot be, or one of them twice");
  }
  require_content(state.weights.size() == state.shape(model).size(),
                  "a state has another number of weights than edges");
  require_content(all_finite(state.weights), "a weight is not finite");
  require_content(positive(state.noise_variance), "a noise variance is not positive and finite");
  require_content(positive(state.weight_scale), "a scale of weights is not positive and finite");
  require_content(std::isfinite(state.lambda) && state.lambda >= 0, "a lambda is negative or not finite");
}

}  // namespace

void write_state(const State& state, ByteWriter& out) {
  out.put(static_cast<std::uint64_t>(state.gates.active.size()));
  for (const auto& layer : state.gates.active) out.put_all(layer);
  out.put_all(state.weights);
  out.put(state.noise_variance);
  out.put(state.weight_scale);
  out.put(state.lambda);
}

State read_state(ByteReader& in, const Model& model) {
  State state = read_numbers(in);
  check(state, model);
  return state;
}

State read_state_or_none(ByteReader& in, const Model& model) {
  State state = read_numbers(in);
  if (state.weights.empty()) return {};
  check(state, model);
  return state;
}

}  // namespace mbnn
