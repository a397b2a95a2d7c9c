#include "mbnn/tables/scalar_moves.h"

#include <cmath>

#include "mbnn/sample/slice.h"

namespace mbnn {

void draw_noise(const Model& model, double squared_errors, double rows, State& state, Rng& rng) {
  const double power = model.likelihood.power;
  if (model.likelihood.has_noise())
    state.noise_variance = model.noise_prior.draw_posterior(power * squared_errors, power * rows, rng);
}

void draw_weight_scale(const Model& model, State& state, Rng& rng) {
  const auto& prior = model.weight_prior;
  const double log_scale = slice_sample(
      std::log(state.weight_scale), 0.2,
      [&](double x) { return prior.log_density(state.weights, std::exp(x)) + prior.log_hyperprior(std::exp(x)); }, rng);
  state.weight_scale = std::exp(log_scale);
}

void draw_lambda(const Model& model, State& state, Rng& rng) {
  const auto& prior = model.width_prior;
  const Shape shape = state.shape(model);
  const double log_lambda = slice_sample(
      std::log(state.lambda), 0.1,
      [&](double x) {
        const double lambda = std::exp(x);
        double sum = prior.log_hyperprior(lambda) + log_mask_prior(model, shape, lambda);
        for (std::size_t cap : model.architecture.caps) sum -= prior.log_normaliser(cap, lambda);
        return sum;
      },
      rng);
  state.lambda = std::exp(log_lambda);
}

}  // namespace mbnn
