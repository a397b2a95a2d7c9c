#include "mbnn/images/checkpoint_bytes.h"

#include <fmt/format.h>

#include <algorithm>

#include "mbnn/core/checkpoint.h"
#include "mbnn/core/error.h"
#include "mbnn/core/finite.h"

namespace mbnn {

namespace {

constexpr auto kMisfit = "a checkpoint does not fit its network";

}  // namespace

void check_image_version(ByteReader& in) { check_version(in, kImageCheckpointVersion); }

void check_gates(const ImageArchitecture& architecture, const Gates& gates) {
  if (gates.active.size() != architecture.gates())
    throw ContentError(
        fmt::format("{} units with channels, but the network has {}", gates.active.size(), architecture.gates()));
  for (std::size_t u = 1; u <= architecture.gates(); ++u) {
    auto sorted = gates.active[u - 1];
    std::sort(sorted.begin(), sorted.end());
    if (sorted.empty() || sorted.back() >= architecture.unit(u).cap ||
        std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      throw ContentError(fmt::format("unit {} has no, impossible or repeated channels", u));
  }
}

void check_numbers(const ImageState& state) {
  const NormState& norm = state.norm;
  require_content(all_finite(state.weights) && all_finite(norm.scale) && all_finite(norm.shift) &&
                      all_finite(norm.mean) && all_finite(norm.variance) &&
                      std::ranges::all_of(norm.variance, [](float variance) { return variance >= 0; }),
                  "a weight or a norm of a network is not finite, or a variance negative");
}

void check_length(const std::vector<float>& values, std::size_t length) {
  if (!values.empty() && values.size() != length) throw ContentError(kMisfit);
}

void write_image_state(const ImageState& state, ByteWriter& out) {
  out.put(static_cast<std::uint64_t>(state.gates.active.size()));
  for (const auto& active : state.gates.active) out.put_all(active);
  out.put_all(state.weights);
  for (const auto* values : {&state.norm.scale, &state.norm.shift, &state.norm.mean, &state.norm.variance})
    out.put_all(*values);
}

ImageState read_image_state(ByteReader& in, const ImageArchitecture& architecture) {
  ImageState state;
  const auto gates = in.get<std::uint64_t>();
  require_content(gates <= in.left() / sizeof(std::uint64_t), kMisfit);
  for (std::uint64_t u = 0; u < gates; ++u) state.gates.active.push_back(in.get_all<std::uint32_t>());
  state.weights = in.get_all<float>();
  if (gates > 0) check_gates(architecture, state.gates);
  if (state.weights.size() != (gates > 0 ? ImageShape(architecture, state.gates).size : 0)) throw ContentError(kMisfit);
  for (auto* values : {&state.norm.scale, &state.norm.shift, &state.norm.mean, &state.norm.variance}) {
    *values = in.get_all<float>();
    if (values->size() != (gates > 0 ? architecture.norm_slots() : 0)) throw ContentError(kMisfit);
  }
  check_numbers(state);
  return state;
}

}  // namespace mbnn
