#include "mbnn/tables/warm_start.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mbnn/core/variance.h"
#include "mbnn/sample/adam.h"
#include "mbnn/tables/density.h"

namespace mbnn {

namespace {

// He's initial weights: the variance of the activations stays the same from layer to layer.
std::vector<float> random_weights(const Shape& shape, Rng& rng) {
  std::vector<float> weights;
  weights.reserve(shape.size());
  for (std::size_t l = 0; l < shape.affine_maps(); ++l) {
    const double sd = std::sqrt(2.0 / static_cast<double>(shape.widths[l]));
    for (std::size_t i = 0; i < shape.widths[l] * shape.widths[l + 1]; ++i)
      weights.push_back(static_cast<float>(sd * rng.normal()));
    // Spread biases put the kinks of the first layer inside the data instead of all at the mean.
    for (std::size_t j = 0; j < shape.widths[l + 1]; ++j)
      weights.push_back(l == 0 ? static_cast<float>(0.5 * rng.normal()) : 0.0f);
  }
  return weights;
}

}  // namespace

State warm_start(const Model& model, const Dataset& data, const Batch* all, std::size_t width,
                 const WarmStartOptions& options, Rng& rng) {
  State state;
  state.gates = Gates::first(model.architecture, model.masks ? width : static_cast<std::size_t>(-1));
  state.weight_scale = model.weight_prior.scale;
  state.lambda = model.width_prior.lambda;
  state.weights = random_weights(state.shape(model), rng);
  const bool whole = all && data.rows <= 4 * options.batch;
  const std::size_t batch_rows = std::min(options.batch, data.rows);
  const double scale = whole ? 1 : static_cast<double>(data.rows) / static_cast<double>(batch_rows);

  Batch batch;
  std::vector<std::size_t> rows(batch_rows);
  NetworkDensity density(model);
  std::vector<float> gradient(state.weights.size());
  BasicAdamMemory<double> memory;
  const double n = static_cast<double>(data.rows);
  if (model.likelihood.has_noise()) state.noise_variance = variance(data.y);
  const double noise_floor = 0.01 * state.noise_variance;
  auto next_batch = [&] {
    if (!whole) {
      for (auto& row : rows) row = rng.below(data.rows);
      batch.gather(data, rows);
    }
    density.bind(whole ? *all : batch, state, scale);
  };
  // The mode of the noise given the errors, smoothed over mini-batches. Never below a hundredth of the target's
  // variance while the network is still learning: a collapsed noise would freeze the other directions.
  auto follow_noise = [&](double progress) {
    if (!model.likelihood.has_noise()) return;
    const double mode =
        (model.noise_prior.rate + 0.5 * scale * density.statistic()) / (model.noise_prior.shape + 0.5 * n + 1);
    const double rate = whole ? 1 : 0.05;
    state.noise_variance += rate * (mode - state.noise_variance);
    if (progress < 0.5) state.noise_variance = std::max(state.noise_variance, noise_floor);
  };
  for (std::size_t step = 1; step <= options.steps; ++step) {
    next_batch();
    density.gradient(state.weights, gradient);
    const double progress = static_cast<double>(step) / static_cast<double>(options.steps);
    const double rate = options.learning_rate * 0.5 * (1 + std::cos(std::numbers::pi * progress));
    // The noise variance keeps the scale of gradients as the noise falls.
    adam_climb({rate, static_cast<std::int64_t>(step)}, gradient, state.noise_variance, state.weights, memory);
    follow_noise(progress);
  }
  if (options.steps == 0) {
    next_batch();
    density.log_density(state.weights);
    follow_noise(1);
  }
  // A noise that is fixed may be far from what is left of the target while the network learns: it holds from here on.
  if (model.noise_prior.fixed > 0) state.noise_variance = model.noise_prior.fixed;
  return state;
}

}  // namespace mbnn
