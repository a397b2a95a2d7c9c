#include "tests/support/prior_draw.h"

#include <algorithm>
#include <cmath>

#include "tests/support/mlp_reference.h"

namespace mbnn {

State draw_prior_state(const Model& model, Rng& rng) {
  State state;
  const WidthPrior& widths = model.width_prior;
  state.lambda = widths.lambda * (widths.learn_lambda ? std::exp(widths.spread * rng.normal()) : 1);
  state.weight_scale = model.weight_prior.scale *
                       (model.weight_prior.learn_scale ? std::exp(model.weight_prior.spread * rng.normal()) : 1);
  state.noise_variance = model.noise_prior.draw(rng);
  for (std::size_t cap : model.architecture.caps) {
    std::size_t width = cap;
    if (model.masks) {
      const double c = widths.penalty(state.lambda);
      double left = rng.uniform() * std::exp(widths.log_normaliser(cap, state.lambda));
      for (width = 1; width < cap; ++width) {
        left -= std::exp(-c * static_cast<double>(width * width));
        if (left <= 0) break;
      }
    }
    auto& layer = state.gates.active.emplace_back();
    while (layer.size() < width) {
      const auto number = static_cast<std::uint32_t>(rng.below(cap));
      if (std::find(layer.begin(), layer.end(), number) == layer.end()) layer.push_back(number);
    }
  }
  state.weights.resize(state.shape(model).size());
  for (float& w : state.weights) w = static_cast<float>(model.weight_prior.draw(state.weight_scale, rng));
  return state;
}

void draw_targets(const Model& model, const State& state, Dataset& data, Rng& rng) {
  const Shape shape = state.shape(model);
  const Likelihood& likelihood = model.likelihood;
  const auto gates = reference::open_gates<float>(shape);
  data.y.clear();
  data.labels.clear();
  for (std::size_t i = 0; i < data.rows; ++i) {
    auto f =
        reference::forward<float>(shape, state.weights, std::span(data.x).subspan(i * data.inputs, data.inputs), gates);
    for (float& v : f) v = static_cast<float>(std::clamp<double>(v, likelihood.lower, likelihood.upper));
    if (likelihood.kind == Likelihood::Kind::gaussian) {
      data.y.push_back(f[0] + static_cast<float>(std::sqrt(state.noise_variance) * rng.normal()));
    } else if (likelihood.kind == Likelihood::Kind::binary) {
      data.labels.push_back(rng.uniform() < 1 / (1 + std::exp(-static_cast<double>(f[0]))) ? 1 : 0);
    } else {
      std::vector<double> key(f.size());  // Gumbel's trick: the largest logit + noise is a softmax draw
      for (std::size_t k = 0; k < f.size(); ++k) key[k] = f[k] - std::log(rng.exponential());
      data.labels.push_back(static_cast<std::int32_t>(std::max_element(key.begin(), key.end()) - key.begin()));
    }
  }
}

}  // namespace mbnn
