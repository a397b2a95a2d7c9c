#include "mbnn/tables/density.h"

#include <algorithm>

#include "mbnn/net/dense/batch.h"

namespace mbnn {

void NetworkDensity::bind(const Batch& batch, const State& state, double scale) {
  batch_ = &batch;
  shape_ = state.shape(*model_);
  noise_variance_ = state.noise_variance;
  weight_scale_ = state.weight_scale;
  scale_ = scale;
  d_outputs_.resize(shape_.outputs() * kTileRows);
}

void NetworkDensity::evaluate(std::span<const float> weights, std::span<float> gradient) {
  const bool with_gradient = !gradient.empty();
  mlp_.set(shape_, weights.data(), with_gradient);
  std::fill(gradient.begin(), gradient.end(), 0.0f);
  statistic_ = 0;
  for (std::size_t t = 0; t < batch_->x.count(); ++t) {
    const float* x = batch_->x.tile(t);
    const std::size_t rows = batch_->x.padded_rows(t);
    const float* outputs = mlp_.forward(x, rows);
    statistic_ += model_->likelihood.tile(*batch_, t, outputs, shape_.outputs(), noise_variance_, scale_,
                                          with_gradient ? d_outputs_.data() : nullptr);
    if (with_gradient) mlp_.backward(x, d_outputs_.data(), rows, gradient.data());
  }
  if (with_gradient) {
    model_->weight_prior.add_gradient(weights, weight_scale_, gradient);
    ++gradient_evaluations_;
  }
}

double NetworkDensity::log_likelihood() const {
  return scale_ * model_->likelihood.log_likelihood(statistic_, batch_->rows(), noise_variance_);
}

double NetworkDensity::log_density(std::span<const float> weights) {
  evaluate(weights, {});
  return log_likelihood() + model_->weight_prior.log_density(weights, weight_scale_);
}

double NetworkDensity::log_density_and_gradient(std::span<const float> weights, std::span<float> gradient) {
  evaluate(weights, gradient);
  return log_likelihood() + model_->weight_prior.log_density(weights, weight_scale_);
}

void NetworkDensity::gradient(std::span<const float> weights, std::span<float> gradient) {
  evaluate(weights, gradient);
}

}  // namespace mbnn
