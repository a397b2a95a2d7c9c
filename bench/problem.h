// Generated regression data and the models on it.
#pragma once

#include <cmath>
#include <numeric>
#include <vector>

#include "mbnn/net/dense/batch.h"
#include "mbnn/tables/density.h"

namespace mbnn::bench {

// A smooth function of the first inputs plus noise, roughly standardised.
inline Dataset generated_data(std::size_t rows, std::size_t inputs, Rng& rng) {
  Dataset data;
  data.rows = rows;
  data.inputs = inputs;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t first = data.x.size();
    for (std::size_t k = 0; k < inputs; ++k) data.x.push_back(static_cast<float>(rng.normal()));
    const float* x = data.x.data() + first;
    const double f = std::sin(2 * x[0]) + 0.5 * x[1] * x[2] + 0.3 * std::abs(x[3]) + 0.2 * x[4];
    data.y.push_back(static_cast<float>(f / 1.1 + 0.2 * rng.normal()));
  }
  return data;
}

struct Problem {
  Model model;
  Dataset data;
  Batch batch;
  State state;

  Problem(std::size_t rows, std::size_t inputs, std::vector<std::size_t> widths, std::size_t cap, Rng& rng) {
    model.architecture = {inputs, std::vector<std::size_t>(widths.size(), cap), 1};
    model.width_prior.rows = rows;
    data = generated_data(rows, inputs, rng);
    batch = Batch::all(data);
    for (std::size_t width : widths) {
      auto& layer = state.gates.active.emplace_back(width);
      std::iota(layer.begin(), layer.end(), 0u);
    }
    const Shape shape = state.shape(model);
    for (std::size_t l = 0; l < shape.affine_maps(); ++l)
      for (std::size_t i = 0; i < shape.affine_size(l); ++i)
        state.weights.push_back(static_cast<float>(rng.normal() / std::sqrt(static_cast<double>(shape.widths[l]))));
    state.noise_variance = 0.05;
    state.weight_scale = model.weight_prior.scale;
  }
};

// Multiply-adds that a gradient cannot do without, two operations each: forward, by weights, and by inputs except those
// of the first layer.
inline double gradient_flops(const Shape& shape, std::size_t rows) {
  double sum = 0;
  for (std::size_t l = 0; l < shape.affine_maps(); ++l)
    sum += 2.0 * static_cast<double>(shape.widths[l] * shape.widths[l + 1]) * (l == 0 ? 2 : 3);
  return sum * static_cast<double>(rows);
}

}  // namespace mbnn::bench
