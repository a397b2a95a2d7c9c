#include "mbnn/tables/state.h"

namespace mbnn {

double log_mask_prior(const Model& model, const Shape& shape, double lambda) {
  double sum = 0;
  for (std::size_t l = 1; l <= shape.hidden_layers(); ++l)
    sum += model.width_prior.log_mask(shape.widths[l], model.architecture.caps[l - 1], lambda);
  return sum;
}

double log_posterior(const Model& model, const State& state, double log_likelihood) {
  double sum = log_likelihood + model.weight_prior.log_density(state.weights, state.weight_scale);
  if (model.likelihood.has_noise()) sum += model.noise_prior.log_density(state.noise_variance);
  if (model.masks) {
    sum += log_mask_prior(model, state.shape(model), state.lambda);
    if (model.width_prior.learn_lambda) {
      sum += model.width_prior.log_hyperprior(state.lambda);
      for (std::size_t cap : model.architecture.caps) sum -= model.width_prior.log_normaliser(cap, state.lambda);
    }
  }
  if (model.weight_prior.learn_scale) sum += model.weight_prior.log_hyperprior(state.weight_scale);
  return sum;
}

}  // namespace mbnn
