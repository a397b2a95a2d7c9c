#include "mbnn/sample/priors.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mbnn/core/special.h"

namespace mbnn {

namespace {

// sum log(1 + a w²), eight factors to a logarithm; factors so large that eight of them could overflow get their own.
double sum_log1p_squares(std::span<const float> weights, double a) {
  double sum = 0;
  std::size_t i = 0;
  for (; i + 8 <= weights.size(); i += 8) {
    double product = 1;
    for (std::size_t j = i; j < i + 8; ++j) {
      const double w = weights[j];
      product *= 1 + a * w * w;
    }
    if (product < 1e300) {
      sum += std::log(product);
    } else {
      for (std::size_t j = i; j < i + 8; ++j) sum += std::log1p(a * weights[j] * weights[j]);
    }
  }
  for (; i < weights.size(); ++i) sum += std::log1p(a * static_cast<double>(weights[i]) * weights[i]);
  return sum;
}

double log_normal_density_of_log(double x, double median, double spread) {
  const double z = std::log(x / median) / spread;
  return -0.5 * z * z - std::log(spread) - 0.5 * std::log(2 * std::numbers::pi);
}

}  // namespace

double WeightPrior::draw(double scale, Rng& rng) const {
  switch (family) {
    case Family::cauchy:
      return scale * rng.cauchy();
    case Family::student:
      return scale * rng.student_t(degrees);
    default:
      return scale * rng.normal();
  }
}

double WeightPrior::log_density(std::span<const float> weights, double scale) const {
  const double count = static_cast<double>(weights.size());
  const double a = 1 / (scale * scale);
  switch (family) {
    case Family::cauchy:
      return -count * std::log(std::numbers::pi * scale) - sum_log1p_squares(weights, a);
    case Family::student: {
      const double constant = log_gamma((degrees + 1) / 2) - log_gamma(degrees / 2) -
                              0.5 * std::log(degrees * std::numbers::pi) - std::log(scale);
      return count * constant - 0.5 * (degrees + 1) * sum_log1p_squares(weights, a / degrees);
    }
    default: {
      double squares = 0;
      for (float w : weights) squares += static_cast<double>(w) * w;
      return -count * (std::log(scale) + 0.5 * std::log(2 * std::numbers::pi)) - 0.5 * a * squares;
    }
  }
}

void WeightPrior::add_gradient(std::span<const float> weights, double scale, std::span<float> gradient) const {
  const float square = static_cast<float>(scale * scale);
  const float* w = weights.data();
  float* g = gradient.data();
  const std::size_t n = weights.size();
  if (family == Family::cauchy) {
    for (std::size_t i = 0; i < n; ++i) g[i] -= 2 * w[i] / (square + w[i] * w[i]);
  } else if (family == Family::student) {
    const float nu = static_cast<float>(degrees);
    for (std::size_t i = 0; i < n; ++i) g[i] -= (nu + 1) * w[i] / (nu * square + w[i] * w[i]);
  } else {
    for (std::size_t i = 0; i < n; ++i) g[i] -= w[i] / square;
  }
}

double WeightPrior::log_hyperprior(double value) const { return log_normal_density_of_log(value, scale, spread); }

double WeightPrior::draw_precision(double scale, Rng& rng) const {
  const double variance = scale * scale, nu = family == Family::cauchy ? 1 : degrees;
  if (family == Family::normal) return 1 / variance;
  return 2 * rng.gamma(nu / 2) / nu / variance;
}

double WeightPrior::draw_precision_of(double weight, double scale, Rng& rng) const {
  const double variance = scale * scale, nu = family == Family::cauchy ? 1 : degrees;
  if (family == Family::normal) return 1 / variance;
  return 2 * rng.gamma((nu + 1) / 2) / (nu + weight * weight / variance) / variance;
}

double WidthPrior::penalty(double value) const {
  return power * std::pow(value * std::log(static_cast<double>(rows)), 5);
}

double WidthPrior::log_mask(std::size_t width, std::size_t cap, double value) const {
  const double s = static_cast<double>(width);
  return -penalty(value) * s * s - log_choose(static_cast<double>(cap), s);
}

double WidthPrior::log_normaliser(std::size_t cap, double value) const {
  const double c = penalty(value);
  double sum = 0;
  for (std::size_t s = 1; s <= cap; ++s) {
    const double term = std::exp(-c * (static_cast<double>(s) * static_cast<double>(s) - 1));
    sum += term;
    if (term < 1e-17 * sum) break;  // the terms only fall
  }
  return std::log(sum) - c;
}

double WidthPrior::log_hyperprior(double value) const { return log_normal_density_of_log(value, lambda, spread); }

double NoisePrior::draw(Rng& rng) const { return fixed > 0 ? fixed : rate / rng.gamma(shape); }

double NoisePrior::log_density(double variance) const {
  if (fixed > 0) return 0;
  return shape * std::log(rate) - log_gamma(shape) - (shape + 1) * std::log(variance) - rate / variance;
}

double NoisePrior::draw_posterior(double squared_errors, double rows, Rng& rng) const {
  if (fixed > 0) return fixed;
  return (rate + 0.5 * squared_errors) / rng.gamma(shape + 0.5 * rows);
}

}  // namespace mbnn
