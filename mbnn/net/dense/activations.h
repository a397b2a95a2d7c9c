// The pre-activations of every row, kept up to date as nodes join and leave: a flip is a low-rank change.
#pragma once

#include <span>
#include <vector>

#include "mbnn/net/dense/batch.h"
#include "mbnn/net/dense/weights.h"
#include "mbnn/net/gates.h"

namespace mbnn {

// Nodes that join all come last in their layers; nodes that leave are named by position. Never both at once.
struct Change {
  Shape before, after;
  std::span<const float> weights_before, weights_after;
  std::vector<Node> leaving;  // empty for a birth
};

class Activations {
 public:
  // A whole forward pass on `batch`, which must outlive this object.
  void rebuild(const Batch& batch, const Shape& shape, std::span<const float> weights);

  // Computes what the change would make of the layers above it; current() stays. One proposal at a time.
  void propose(const Change& change);
  void accept();

  // Layer l = 1..L holds pre-activations of hidden nodes, layer L + 1 the outputs.
  struct View {
    std::vector<const Tiles*> layers;  // layers[l - 1]
    // The proposal's changed layer has its joining nodes apart and its leaving nodes still in place.
    std::size_t changed_layer = 0;
    const Tiles* joining = nullptr;
    std::vector<std::size_t> leaving;

    const float* outputs(std::size_t tile) const { return layers.back()->tile(tile); }
    // Positive parts of hidden layer l for one tile.
    void positive_part(std::size_t l, std::size_t tile, std::size_t rows, float* h) const;
  };
  View current() const;
  View proposed() const;

 private:
  const Batch* batch_ = nullptr;
  std::vector<Tiles> layers_;    // z of layers 1..L + 1
  std::vector<Tiles> proposed_;  // of the layers above the lowest changed one
  Tiles joining_;
  std::size_t changed_ = 0;           // the lowest changed layer
  std::vector<std::size_t> leaving_;  // its positions, falling
  AlignedFloats panels_, h_;
};

}  // namespace mbnn
