// Nodes join and leave the one block of weights of a compact network.
#pragma once

#include <span>
#include <vector>

#include "mbnn/net/gates.h"
#include "mbnn/net/shape.h"

namespace mbnn {

// A block for the larger shape in which the old nodes keep their edges and come first in each layer. Every edge with a
// new end is edge(l, k, j): from node k of layer l to node j of layer l + 1, k = after.widths[l] standing for the bias.
template <class Edge>
std::vector<float> grow(std::span<const float> weights, const Shape& before, const Shape& after, Edge edge) {
  std::vector<float> grown;
  grown.reserve(after.size());
  for (std::size_t l = 0; l < before.affine_maps(); ++l) {
    const float* old = weights.data() + before.offset(l);
    const std::size_t in = before.widths[l], out = before.widths[l + 1];
    for (std::size_t k = 0; k <= after.widths[l]; ++k) {
      const bool bias = k == after.widths[l];
      std::size_t j = 0;
      if (bias || k < in) {
        const float* row = old + (bias ? in : k) * out;
        grown.insert(grown.end(), row, row + out);
        j = out;
      }
      for (; j < after.widths[l + 1]; ++j) grown.push_back(edge(l, k, j));
    }
  }
  return grown;
}

// The block without the edges of the given nodes.
std::vector<float> shrink(std::span<const float> weights, const Shape& before, std::span<const Node> leaving);

// The edges of one hidden node: from each active node below and the bias, and to each active node above.
struct NodeEdges {
  std::vector<float> incoming, outgoing;
};
NodeEdges node_edges(std::span<const float> weights, const Shape& shape, Node node);

}  // namespace mbnn
