// The likelihoods: Gaussian regression, softmax over K classes, one logit for two classes.
#pragma once

#include <cstddef>
#include <limits>

namespace mbnn {

struct Batch;

// A likelihood is summed up by one number, its statistic: the sum of squared errors for regression, the log-likelihood
// itself for classification. The statistic does not depend on the noise, so one forward pass serves every noise value.
class Likelihood {
 public:
  enum class Kind { gaussian, softmax, binary };

  // Outputs are truncated to [lower, upper] before the likelihood sees them (the paper's [-F, F]).
  Kind kind = Kind::gaussian;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  // The power that everything below but the statistic is raised to: 1, but on the hot rungs of a ladder (ladder.h).
  double power = 1;

  bool has_noise() const { return kind == Kind::gaussian; }

  // The statistic of one tile of outputs. If d_outputs is given, also the derivative of the log-likelihood by the
  // outputs, times `scale`; padding rows get 0.
  double tile(const Batch& batch, std::size_t t, const float* outputs, std::size_t output_count, double noise_variance,
              double scale, float* d_outputs) const;

  // The log-likelihood of each row of one tile of outputs, for those who must not see their sum alone.
  void rows(const Batch& batch, std::size_t t, const float* outputs, std::size_t output_count, double noise_variance,
            double* log_likelihoods) const;

  // How fast that derivative (with scale 1) falls with its output, at least 0, computed from the derivative itself.
  void curvature(const float* d_output, std::size_t rows, double noise_variance, float* curvature) const;

  double log_likelihood(double statistic, std::size_t rows, double noise_variance) const;
};

}  // namespace mbnn
