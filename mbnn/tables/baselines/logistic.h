// Multinomial logistic regression with a normal prior on the weights: the posterior mode, by Newton's method in double.
#pragma once

#include <functional>
#include <vector>

#include "mbnn/net/dense/dataset.h"

namespace mbnn {

// Weights in the layout of a network without hidden layers: a row of `outputs` weights for each input, then the
// intercepts. One output is the logit of the second of two classes; K outputs are the logits of a softmax.
struct LogisticFit {
  std::vector<double> weights;
  double log_posterior = 0;  // up to a constant
  double gradient_norm = 0;  // largest absolute derivative of the log posterior per row
  int iterations = 0;
  bool converged = false;
};

struct LogisticOptions {
  double prior_sd = 1;      // of the weights; intercepts have a flat prior
  double tolerance = 1e-9;  // of gradient_norm
  int most_iterations = 200;
};

// Each Newton system is solved by conjugate gradients, so that memory grows with the weights and not with their square.
// `report` may be empty; it is called after each iteration and stops the fit by returning false.
LogisticFit fit_logistic(const Dataset& data, std::size_t outputs, const LogisticOptions& options,
                         const std::function<bool(const LogisticFit&)>& report);

}  // namespace mbnn
