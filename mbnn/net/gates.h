// The masks, stored as what is on: for each hidden layer the numbers of its active nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "mbnn/core/rng.h"
#include "mbnn/net/shape.h"

namespace mbnn {

// Shapes only, shared by all chains. A cap is the largest width that a hidden layer may have.
struct Architecture {
  std::size_t inputs = 0;
  std::vector<std::size_t> caps;
  std::size_t outputs = 0;
};

// A node of a hidden layer, by its position among the layer's active nodes. Layers count from 1.
struct Node {
  std::size_t layer, position;
};

struct Gates {
  std::vector<std::vector<std::uint32_t>> active;  // active[l - 1][position] = number of the node, below the cap

  // The first `width` nodes of each layer.
  static Gates first(const Architecture& architecture, std::size_t width);
  Shape shape(const Architecture& architecture) const;
  bool operator==(const Gates&) const = default;
};

// The number of an inactive node of a layer with `cap` nodes, each with the same probability.
std::uint32_t draw_inactive(std::vector<std::uint32_t> active, std::size_t cap, Rng& rng);

}  // namespace mbnn
