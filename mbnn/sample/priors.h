// The priors: on weights, on the widths of the layers, on the noise, and on the two parameters that may be learnt.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "mbnn/core/rng.h"

namespace mbnn {

// Weights and biases are independent with this law, times a scale that may be fixed or learnt.
struct WeightPrior {
  enum class Family { cauchy, student, normal };
  Family family = Family::cauchy;
  double scale = 0.3;  // the fixed value, or the median of the hyperprior
  double degrees = 3;  // student only
  bool learn_scale = false;
  double spread = 0.5;  // hyperprior if learnt: log(scale) is normal with this standard deviation; one scale for all
                        // weights, since ReLU layers would trade scales of their own against each other

  double draw(double scale, Rng& rng) const;
  double log_density(std::span<const float> weights, double scale) const;
  // Adds the derivative of log_density to gradient.
  void add_gradient(std::span<const float> weights, double scale, std::span<float> gradient) const;
  double log_hyperprior(double scale) const;  // density of log(scale)

  // Student's law (Cauchy's: one degree) is normal given a precision that has a gamma law. A draw of that precision:
  // from its prior, and given the weight.
  double draw_precision(double scale, Rng& rng) const;
  double draw_precision_of(double weight, double scale, Rng& rng) const;
};

constexpr auto enum_names(WeightPrior::Family) { return std::array{"cauchy", "student", "normal"}; }

// P(s) ∝ exp(-(λ ln n)^5 s²) for s = 1..p, and all masks of s of the p nodes equally likely.
struct WidthPrior {
  double lambda = 0.1;  // the fixed value, or the median of its prior
  bool learn_lambda = false;
  double spread = 0.25;  // if learnt: log(λ) is normal with this standard deviation
  std::size_t rows = 0;  // n, the training rows
  double power = 1;      // that P(s) is raised to: 1, but on the hot rungs of a ladder

  double penalty(double lambda) const;  // (λ ln n)^5 times the power
  // log probability of one mask with `width` of `cap` nodes on, without the normaliser that only λ needs.
  double log_mask(std::size_t width, std::size_t cap, double lambda) const;
  double log_normaliser(std::size_t cap, double lambda) const;
  double log_hyperprior(double lambda) const;  // density of log(λ)
};

// Noise variance: inverse gamma, or fixed.
struct NoisePrior {
  double shape = 1, rate = 0.001;  // of a target scaled to variance 1
  double fixed = 0;                // if positive, the variance itself, which is then not learnt

  double draw(Rng& rng) const;
  double log_density(double variance) const;
  double draw_posterior(double squared_errors, double rows, Rng& rng) const;
};

}  // namespace mbnn
