#include "mbnn/tables/likelihood.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "mbnn/core/special.h"
#include "mbnn/net/dense/batch.h"

namespace mbnn {

namespace {

double gaussian_tile(const float* f, const float* y, std::size_t rows, double lower, double upper, double precision,
                     float* d_f) {
  const float low = static_cast<float>(lower), high = static_cast<float>(upper);
  const float factor = static_cast<float>(precision);
  double sum = 0;
  if (!d_f) {
    for (std::size_t r = 0; r < rows; ++r) {
      const double error = y[r] - std::min(std::max(f[r], low), high);
      sum += error * error;
    }
    return sum;
  }
  for (std::size_t r = 0; r < rows; ++r) {
    const float clipped = std::min(std::max(f[r], low), high);
    const float error = y[r] - clipped;
    sum += static_cast<double>(error) * error;
    d_f[r] = clipped == f[r] ? error * factor : 0.0f;
  }
  return sum;
}

// log p(label) under one logit: -log(1 + exp(-z)) with z the logit towards the label.
double binary_tile(const float* f, const std::int32_t* labels, std::size_t rows, double lower, double upper,
                   double scale, float* d_f) {
  double sum = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    const double clipped = std::clamp<double>(f[r], lower, upper);
    const double z = labels[r] == 1 ? clipped : -clipped;
    const double e = std::exp(-std::abs(z));
    sum += std::min(z, 0.0) - std::log1p(e);
    if (d_f) {
      const double miss = (z >= 0 ? e : 1.0) / (1 + e);  // probability of the other label
      const double d = labels[r] == 1 ? miss : -miss;
      d_f[r] = clipped == f[r] ? static_cast<float>(scale * d) : 0.0f;
    }
  }
  return sum;
}

double softmax_tile(const float* f, std::size_t classes, const std::int32_t* labels, std::size_t rows, double lower,
                    double upper, double scale, float* d_f) {
  double sum = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    auto logit = [&](std::size_t k) { return std::clamp<double>(f[k * kTileRows + r], lower, upper); };
    double top = logit(0);
    for (std::size_t k = 1; k < classes; ++k) top = std::max(top, logit(k));
    double total = 0;
    for (std::size_t k = 0; k < classes; ++k) total += std::exp(logit(k) - top);
    sum += logit(labels[r]) - top - std::log(total);
    if (!d_f) continue;
    for (std::size_t k = 0; k < classes; ++k) {
      const double p = std::exp(logit(k) - top) / total;
      const double d = (static_cast<std::size_t>(labels[r]) == k ? 1.0 : 0.0) - p;
      const bool inside = logit(k) == f[k * kTileRows + r];
      d_f[k * kTileRows + r] = inside ? static_cast<float>(scale * d) : 0.0f;
    }
  }
  return sum;
}

}  // namespace

double Likelihood::tile(const Batch& batch, std::size_t t, const float* outputs, std::size_t output_count,
                        double noise_variance, double scale, float* d_outputs) const {
  const std::size_t first = batch.x.first_row(t), rows = batch.x.valid_rows(t);
  if (d_outputs)
    for (std::size_t k = 0; k < output_count; ++k)
      std::fill(d_outputs + k * kTileRows + rows, d_outputs + k * kTileRows + batch.x.padded_rows(t), 0.0f);
  switch (kind) {
    case Kind::gaussian:
      return gaussian_tile(outputs, batch.y.data() + first, rows, lower, upper, power * scale / noise_variance,
                           d_outputs);
    case Kind::binary:
      return binary_tile(outputs, batch.labels.data() + first, rows, lower, upper, power * scale, d_outputs);
    default:
      return softmax_tile(outputs, output_count, batch.labels.data() + first, rows, lower, upper, power * scale,
                          d_outputs);
  }
}

void Likelihood::rows(const Batch& batch, std::size_t t, const float* outputs, std::size_t output_count,
                      double noise_variance, double* log_likelihoods) const {
  const std::size_t first = batch.x.first_row(t), rows = batch.x.valid_rows(t);
  const double constant = 0.5 * std::log(2 * std::numbers::pi * noise_variance);
  for (std::size_t r = 0; r < rows; ++r) {
    auto clipped = [&](std::size_t k) { return std::clamp<double>(outputs[k * kTileRows + r], lower, upper); };
    if (kind == Kind::gaussian) {
      const double error = batch.y[first + r] - clipped(0);
      log_likelihoods[r] = power * (-constant - error * error / (2 * noise_variance));
      continue;
    }
    const auto label = static_cast<std::size_t>(batch.labels[first + r]);
    std::vector<double> logits;
    if (kind == Kind::binary)
      logits = {0, clipped(0)};
    else
      for (std::size_t k = 0; k < output_count; ++k) logits.push_back(clipped(k));
    log_likelihoods[r] = power * (logits[label] - log_sum_exp(logits));
  }
}

// Of logits: the derivative is 1 - p or -p, times the power, and p (1 - p) follows from either.
void Likelihood::curvature(const float* d_output, std::size_t rows, double noise_variance, float* curvature) const {
  const float inverse = static_cast<float>(power / noise_variance), cold = static_cast<float>(1 / power);
  for (std::size_t i = 0; i < rows; ++i)
    curvature[i] = kind == Kind::gaussian ? inverse : std::abs(d_output[i]) * (1 - std::abs(d_output[i]) * cold);
}

double Likelihood::log_likelihood(double statistic, std::size_t rows, double noise_variance) const {
  if (!has_noise()) return power * statistic;
  return power * (-0.5 * static_cast<double>(rows) * std::log(2 * std::numbers::pi * noise_variance) -
                  statistic / (2 * noise_variance));
}

}  // namespace mbnn
