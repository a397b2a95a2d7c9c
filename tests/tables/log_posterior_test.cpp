// The log posterior that a chain reports, from the equations of docs/model.md.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "mbnn/tables/state.h"

namespace mbnn {
namespace {

double log_normal(double z, double sd) {
  return -0.5 * z * z / (sd * sd) - std::log(sd) - 0.5 * std::log(2 * std::numbers::pi);
}

// Seven normal weights of scale 0.5, two of three nodes under exp(-(lambda log 20)^5 s²) / C(3, s), noise 0.25 under
// the inverse gamma law of shape 2 and rate 3. A scale or lambda that is learnt adds its own prior; lambda's has the
// sum of the widths' prior below it. Seen to fail without the prior of the noise.
TEST(LogPosterior, ByHand) {
  Model model;
  model.architecture = {1, {3}, 1};
  model.weight_prior = {.family = WeightPrior::Family::normal, .scale = 0.4, .spread = 0.5};
  model.width_prior = {.lambda = 0.2, .spread = 0.25, .rows = 20};
  model.noise_prior = {2, 3};
  State state;
  state.gates.active = {{1, 2}};
  state.weights = {1, -1, 0.5f, 0, 2, 0.25f, -0.75f};
  state.noise_variance = 0.25;
  state.weight_scale = 0.5;
  state.lambda = 0.3;

  double expected = -12.5;  // the log-likelihood that is passed
  for (const double w : state.weights) expected += log_normal(w, 0.5);
  const double c = std::pow(0.3 * std::log(20.0), 5);
  const double mask = -4 * c - std::log(3.0), noise = 2 * std::log(3.0) - 3 * std::log(0.25) - 3 / 0.25;
  EXPECT_NEAR(log_posterior(model, state, -12.5), expected + mask + noise, 1e-9);

  model.weight_prior.learn_scale = true;
  model.width_prior.learn_lambda = true;
  const double scale = log_normal(std::log(0.5 / 0.4), 0.5);
  const double lambda =
      log_normal(std::log(0.3 / 0.2), 0.25) - std::log(std::exp(-c) + std::exp(-4 * c) + std::exp(-9 * c));
  EXPECT_NEAR(log_posterior(model, state, -12.5), expected + mask + noise + scale + lambda, 1e-9);

  model.masks = false;
  EXPECT_NEAR(log_posterior(model, state, -12.5), expected + noise + scale, 1e-9);
  model.likelihood.kind = Likelihood::Kind::binary;
  EXPECT_NEAR(log_posterior(model, state, -12.5), expected + scale, 1e-9);
}

}  // namespace
}  // namespace mbnn
