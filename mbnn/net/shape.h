// The shape of a compact network: the sizes of its layers and where each affine map lies in the one block of weights.
#pragma once

#include <cstddef>
#include <vector>

namespace mbnn {

// widths = {inputs, active nodes of hidden layer 1, ..., of hidden layer L, outputs}.
// Affine map l (0-based) is stored as a matrix of widths[l] + 1 rows and widths[l + 1] columns, row after row:
// row k holds the edges that leave node k of layer l, the last row the biases of layer l + 1.
struct Shape {
  std::vector<std::size_t> widths;

  std::size_t hidden_layers() const { return widths.size() - 2; }
  std::size_t affine_maps() const { return widths.size() - 1; }
  std::size_t inputs() const { return widths.front(); }
  std::size_t outputs() const { return widths.back(); }
  std::size_t affine_size(std::size_t l) const { return (widths[l] + 1) * widths[l + 1]; }
  std::size_t offset(std::size_t l) const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < l; ++i) sum += affine_size(i);
    return sum;
  }
  std::size_t size() const { return offset(affine_maps()); }
  // Hidden layer l counts from 1, as in the paper.
  std::size_t active(std::size_t hidden_layer) const { return widths[hidden_layer]; }
  std::size_t active_nodes() const {
    std::size_t sum = 0;
    for (std::size_t l = 1; l + 1 < widths.size(); ++l) sum += widths[l];
    return sum;
  }
  bool operator==(const Shape&) const = default;
};

}  // namespace mbnn
