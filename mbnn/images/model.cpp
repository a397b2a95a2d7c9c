#include "mbnn/images/model.h"

#include <algorithm>
#include <cmath>

namespace mbnn {

ImageState initial_state(const ImageModel& model, Rng& rng) {
  ImageState state{model.architecture.initial_gates(), {}, NormState(model.architecture.norm_slots())};
  const ImageShape shape(model.architecture, state.gates);
  state.weights.assign(shape.size, 0.0f);
  const auto draw = [&](const FilterBlock& block, double gain) {
    const double sd = std::sqrt(gain / static_cast<double>(std::max<std::size_t>(1, block.in * block.taps())));
    for (std::size_t i = 0; i < block.size(); ++i)
      state.weights[block.offset + i] = static_cast<float>(sd * rng.normal());
  };
  for (const auto& block : shape.filters) draw(block, 2);
  for (const auto& block : shape.projections) draw(block, 2);
  draw(shape.affine, 1);
  return state;
}

double log_mask_prior(const ImageModel& model, const Gates& gates) {
  double sum = 0;
  for (std::size_t u = 1; u <= gates.active.size(); ++u)
    sum += model.width_prior.log_mask(gates.active[u - 1].size(), model.architecture.unit(u).cap,
                                      model.width_prior.lambda);
  return sum;
}

std::vector<double> softmax_log_likelihoods(std::span<const float> logits, std::span<const std::int32_t> labels,
                                            double scale, std::span<float> d_logits) {
  std::vector<double> result;
  const std::size_t classes = logits.size() / labels.size();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto row = logits.subspan(i * classes, classes);
    const auto label = static_cast<std::size_t>(labels[i]);
    const double top = *std::max_element(row.begin(), row.end());
    double total = 0;
    for (float z : row) total += std::exp(z - top);
    result.push_back(row[label] - top - std::log(total));
    if (d_logits.empty()) continue;
    for (std::size_t k = 0; k < classes; ++k)
      d_logits[i * classes + k] = static_cast<float>(scale * ((k == label) - std::exp(row[k] - top) / total));
  }
  return result;
}

void ImageDensity::bind(const ImageRows& rows, const ImageState& state, double scale) {
  rows_ = rows;
  state_ = &state;
  scale_ = scale;
}

void ImageDensity::evaluate(std::span<const float> weights, std::span<float> gradient) {
  network_.set({&state_->gates, weights, &state_->norm});
  network_.forward(rows_.pixels, rows_.count(), ImageNetwork::Norm::batch);
  d_logits_.resize(gradient.empty() ? 0 : network_.logits().size());
  log_likelihood_ = 0;
  for (double l : softmax_log_likelihoods(network_.logits(), rows_.labels, scale_, d_logits_)) log_likelihood_ += l;
  if (gradient.empty()) return;
  network_.backward(d_logits_, {gradient, &d_scale_, &d_shift_, nullptr});
  model_->weight_prior.add_gradient(weights, model_->weight_prior.scale, gradient);
}

double ImageDensity::log_density(std::span<const float> weights) {
  evaluate(weights, {});
  return scale_ * log_likelihood_ + model_->weight_prior.log_density(weights, model_->weight_prior.scale);
}

double ImageDensity::log_density_and_gradient(std::span<const float> weights, std::span<float> gradient) {
  evaluate(weights, gradient);
  return scale_ * log_likelihood_ + model_->weight_prior.log_density(weights, model_->weight_prior.scale);
}

void ImageDensity::gradient(std::span<const float> weights, std::span<float> gradient) { evaluate(weights, gradient); }

}  // namespace mbnn
