#include "mbnn/net/dense/mlp.h"

#include <algorithm>

namespace mbnn {

void Mlp::set(const Shape& shape, const float* weights, bool for_gradient) {
  if (!(shape == shape_)) {
    shape_ = shape;
    const std::size_t maps = shape.affine_maps();
    forward_panels_.resize(maps);
    backward_panels_.resize(maps);
    activations_.resize(maps);
    const std::size_t widest = *std::max_element(shape.widths.begin() + 1, shape.widths.end());
    for (std::size_t l = 0; l < maps; ++l) {
      forward_panels_[l].resize(shape.affine_size(l));
      backward_panels_[l].resize(shape.widths[l] * shape.widths[l + 1]);
      activations_[l].resize(shape.widths[l + 1] * kTileRows);
    }
    d_above_.resize(widest * kTileRows);
    d_below_.resize(widest * kTileRows);
  }
  for (std::size_t l = 0; l < shape.affine_maps(); ++l) {
    const std::size_t in = shape.widths[l], out = shape.widths[l + 1];
    pack_forward(weights, in, out, forward_panels_[l].data());
    if (for_gradient && l > 0) pack_backward(weights, in, out, backward_panels_[l].data());
    weights += shape.affine_size(l);
  }
}

const float* Mlp::forward(const float* x, std::size_t rows) {
  const std::size_t maps = shape_.affine_maps();
  for (std::size_t l = 0; l < maps; ++l)
    kernels().forward(l == 0 ? x : activations_[l - 1].data(), shape_.widths[l], forward_panels_[l].data(),
                      shape_.widths[l + 1], activations_[l].data(), rows, l + 1 < maps);
  return activations_.back().data();
}

void Mlp::backward(const float* x, const float* d_outputs, std::size_t rows, float* gradient) {
  const float* d = d_outputs;
  gradient += shape_.size();
  for (std::size_t l = shape_.affine_maps(); l-- > 0;) {
    gradient -= shape_.affine_size(l);
    const float* in = l == 0 ? x : activations_[l - 1].data();
    kernels().backward_weights(in, shape_.widths[l], d, shape_.widths[l + 1], gradient, rows);
    if (l == 0) break;
    kernels().backward_input(d, shape_.widths[l + 1], backward_panels_[l].data(), shape_.widths[l], in, d_below_.data(),
                             rows);
    std::swap(d_above_, d_below_);
    d = d_above_.data();
  }
}

}  // namespace mbnn
