// The masked network as the paper writes it, plainly, in any precision: what the fast code is tested against.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "mbnn/net/shape.h"

namespace mbnn::reference {

// f(x) for one row. gate[l - 1][j] multiplies node j of hidden layer l: 1 or 0 in the model, anything between when its
// derivative is wanted.
template <class Real>
std::vector<Real> forward(const Shape& shape, std::span<const Real> weights, std::span<const Real> x,
                          const std::vector<std::vector<Real>>& gate) {
  std::vector<Real> h(x.begin(), x.end());
  for (std::size_t l = 0; l < shape.affine_maps(); ++l) {
    const std::size_t in = shape.widths[l], out = shape.widths[l + 1];
    const Real* w = weights.data() + shape.offset(l);
    std::vector<Real> z(w + in * out, w + (in + 1) * out);
    for (std::size_t k = 0; k < in; ++k)
      for (std::size_t j = 0; j < out; ++j) z[j] += h[k] * w[k * out + j];
    if (l + 1 < shape.affine_maps())
      for (std::size_t j = 0; j < out; ++j) z[j] = gate[l][j] * (z[j] > 0 ? z[j] : Real(0));
    h = std::move(z);
  }
  return h;
}

template <class Real>
std::vector<std::vector<Real>> open_gates(const Shape& shape) {
  std::vector<std::vector<Real>> gate;
  for (std::size_t l = 1; l <= shape.hidden_layers(); ++l) gate.emplace_back(shape.widths[l], Real(1));
  return gate;
}

}  // namespace mbnn::reference
