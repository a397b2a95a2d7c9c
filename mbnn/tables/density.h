// The log density of the weights given everything else, on all rows or on a mini-batch: evaluates, never moves.
#pragma once

#include <span>

#include "mbnn/net/dense/mlp.h"
#include "mbnn/sample/weight_density.h"
#include "mbnn/tables/state.h"

namespace mbnn {

// One object a thread: it holds the scratch of its evaluations and counts them.
class NetworkDensity {
 public:
  explicit NetworkDensity(const Model& model) : model_(&model) {}

  // Likelihood terms are multiplied by `scale`: 1 on all rows, n / batch on a mini-batch.
  void bind(const Batch& batch, const State& state, double scale = 1);

  double log_density(std::span<const float> weights);
  double log_density_and_gradient(std::span<const float> weights, std::span<float> gradient);
  void gradient(std::span<const float> weights, std::span<float> gradient);

  // The likelihood's statistic (squared errors or log-likelihood, unscaled) at the last evaluation.
  double statistic() const { return statistic_; }
  double log_likelihood() const;
  std::uint64_t gradient_evaluations() const { return gradient_evaluations_; }
  void reset_counts() { gradient_evaluations_ = 0; }

 private:
  void evaluate(std::span<const float> weights, std::span<float> gradient);

  const Model* model_;
  const Batch* batch_ = nullptr;
  Shape shape_;
  double noise_variance_ = 1, weight_scale_ = 1, scale_ = 1;
  double statistic_ = 0;
  Mlp mlp_;
  AlignedFloats d_outputs_;
  std::uint64_t gradient_evaluations_ = 0;
};

static_assert(WeightDensity<NetworkDensity>);

}  // namespace mbnn
