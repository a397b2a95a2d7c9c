// Channels join and leave the one block of weights of a compact convolutional network.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "mbnn/net/conv/architecture.h"

namespace mbnn {

// The ends of an edge: channel `out` of unit `out_unit` (the last unit + 1 standing for the classes) from channel `in`
// of tensor `in_tensor` (for biases and the image's channels an end that is always there).
struct ImageEdge {
  std::size_t out_unit, out;
  std::size_t in_tensor, in;
};

// Calls visit(edge, offset, count) for each run of `count` weights that share their ends, in the order of storage.
template <class Visit>
void for_each_edge(const ImageArchitecture& architecture, const ImageShape& shape, Visit visit) {
  const auto block = [&](const FilterBlock& b, std::size_t out_unit, std::size_t in_tensor) {
    for (std::size_t o = 0; o < b.out; ++o)
      for (std::size_t i = 0; i < b.in; ++i)
        visit(ImageEdge{out_unit, o, in_tensor, i}, b.offset + (o * b.in + i) * b.taps(), b.taps());
  };
  for (std::size_t u = 1; u <= architecture.gates(); ++u) {
    block(shape.filters[u - 1], u, u - 1);
    if (architecture.unit(u).projected) block(shape.projections[u - 1], u, architecture.unit(u).shortcut);
  }
  block(shape.affine, architecture.gates() + 1, architecture.last());
  for (std::size_t k = 0; k < architecture.classes; ++k)
    visit(ImageEdge{architecture.gates() + 1, k, 0, 0}, shape.biases + k, 1);
}

// For each tensor and position of `after`: the position of the same channel in `before`, or kNowhere.
inline constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();
std::vector<std::vector<std::size_t>> positions_before(const ImageArchitecture& architecture, const Gates& before,
                                                       const Gates& after);

// The values of `before` laid out for `after`: edges between channels of both keep theirs, and fill(edge, values) sets
// each other one, in the order of storage. Serves births, deaths and whatever else is stored weight by weight.
template <class Fill>
std::vector<float> rearrange(const ImageArchitecture& architecture, const Gates& before, std::span<const float> values,
                             const Gates& after, Fill fill) {
  const ImageShape old_shape(architecture, before), shape(architecture, after);
  const auto old_position = positions_before(architecture, before, after);
  std::vector<float> result(shape.size);
  const auto block = [&](const FilterBlock& from, const FilterBlock& to, std::size_t out_unit, std::size_t in_tensor) {
    const auto &outs = old_position[out_unit], &ins = old_position[in_tensor];
    for (std::size_t o = 0; o < to.out; ++o)
      for (std::size_t i = 0; i < to.in; ++i) {
        float* target = result.data() + to.offset + (o * to.in + i) * to.taps();
        if (outs[o] != kNowhere && ins[i] != kNowhere)
          std::copy_n(values.data() + from.offset + (outs[o] * from.in + ins[i]) * from.taps(), to.taps(), target);
        else
          fill(ImageEdge{out_unit, o, in_tensor, i}, std::span<float>(target, to.taps()));
      }
  };
  for (std::size_t u = 1; u <= architecture.gates(); ++u) {
    block(old_shape.filters[u - 1], shape.filters[u - 1], u, u - 1);
    if (architecture.unit(u).projected)
      block(old_shape.projections[u - 1], shape.projections[u - 1], u, architecture.unit(u).shortcut);
  }
  block(old_shape.affine, shape.affine, architecture.gates() + 1, architecture.last());
  std::copy_n(values.data() + old_shape.biases, architecture.classes, result.data() + shape.biases);
  return result;
}

// The mask after a birth: channels `numbers[l - 1]` join gate l, behind those that are there.
Gates with_channels(const Gates& gates, const std::vector<std::vector<std::uint32_t>>& numbers);
Gates without_channels(const Gates& gates, std::span<const Node> leaving);

}  // namespace mbnn
