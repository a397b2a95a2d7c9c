// A compact network on tiles of rows: forward and backward, with the scratch of one thread.
#pragma once

#include <vector>

#include "mbnn/core/aligned.h"
#include "mbnn/net/dense/kernels.h"
#include "mbnn/net/shape.h"

namespace mbnn {

class Mlp {
 public:
  // Packs the weights for the kernels; they are not needed afterwards. Backward passes need for_gradient.
  void set(const Shape& shape, const float* weights, bool for_gradient);
  const Shape& shape() const { return shape_; }

  // The outputs of one tile; its activations stay until the next call, for backward().
  const float* forward(const float* x, std::size_t rows);
  // Adds the gradient of one tile, given the derivative by the outputs, to the block `gradient`.
  void backward(const float* x, const float* d_outputs, std::size_t rows, float* gradient);

 private:
  Shape shape_;
  std::vector<AlignedFloats> forward_panels_, backward_panels_, activations_;
  AlignedFloats d_above_, d_below_;
};

}  // namespace mbnn
