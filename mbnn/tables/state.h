// What a chain is: gates, the weights of the active network, noise, and the two parameters that may be learnt.
#pragma once

#include <vector>

#include "mbnn/net/gates.h"
#include "mbnn/sample/priors.h"
#include "mbnn/tables/likelihood.h"

namespace mbnn {

// Everything that is fixed before sampling starts; shared by all chains.
struct Model {
  Architecture architecture;
  Likelihood likelihood;
  WeightPrior weight_prior;
  WidthPrior width_prior;
  NoisePrior noise_prior;
  bool masks = true;  // false: all gates stay as they are, a plain Bayesian network
};

struct State {
  Gates gates;
  std::vector<float> weights;
  double noise_variance = 1;  // regression only
  double weight_scale = 1;
  double lambda = 0.1;

  Shape shape(const Model& model) const { return gates.shape(model.architecture); }
};

// log prior of the masks, without the normaliser that does not depend on them.
double log_mask_prior(const Model& model, const Shape& shape, double lambda);

// log posterior of a state up to a constant, given its log-likelihood.
double log_posterior(const Model& model, const State& state, double log_likelihood);

}  // namespace mbnn
