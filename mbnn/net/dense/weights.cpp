#include "mbnn/net/dense/weights.h"

namespace mbnn {

std::vector<float> shrink(std::span<const float> weights, const Shape& before, std::span<const Node> leaving) {
  std::vector<std::vector<char>> keep;
  for (std::size_t width : before.widths) keep.emplace_back(width, 1);
  for (const Node& node : leaving) keep[node.layer][node.position] = 0;
  std::vector<float> kept;
  kept.reserve(weights.size());
  for (std::size_t l = 0; l < before.affine_maps(); ++l) {
    const float* block = weights.data() + before.offset(l);
    const std::size_t in = before.widths[l], out = before.widths[l + 1];
    for (std::size_t k = 0; k <= in; ++k) {
      if (k < in && !keep[l][k]) continue;
      for (std::size_t j = 0; j < out; ++j)
        if (keep[l + 1][j]) kept.push_back(block[k * out + j]);
    }
  }
  return kept;
}

NodeEdges node_edges(std::span<const float> weights, const Shape& shape, Node node) {
  NodeEdges edges;
  const std::size_t l = node.layer, width = shape.widths[l], above = shape.widths[l + 1];
  const float* below = weights.data() + shape.offset(l - 1);
  for (std::size_t k = 0; k <= shape.widths[l - 1]; ++k) edges.incoming.push_back(below[k * width + node.position]);
  const float* up = weights.data() + shape.offset(l) + node.position * above;
  edges.outgoing.assign(up, up + above);
  return edges;
}

}  // namespace mbnn
