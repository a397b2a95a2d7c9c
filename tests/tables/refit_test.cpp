// Refitting births and deaths are each other's reverse: the same regressions there and back.
#include "mbnn/tables/refit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/prior_draw.h"

namespace mbnn {
namespace {

Model wide_model() {
  Model model;
  model.architecture = {3, {60}, 1};
  model.weight_prior = {WeightPrior::Family::normal, 0.5};
  model.width_prior = {.lambda = 0.05, .rows = 200};
  return model;
}

// A birth's shares of the other nodes and those that its death will find, from another matrix of another size: equal up
// to the rounding of double, as large as the condition of least squares makes it. Nodes number 1 to 50, and kernels
// group them by threes, fours and eights. Seen to fail with Gram matrices in float, at 1e-3.
TEST(Refit, SharesAreTheSameThereAndBack) {
  const Model model = wide_model();
  Rng rng(4);
  Dataset data;
  data.rows = 200;
  data.inputs = 3;
  for (std::size_t i = 0; i < data.rows * data.inputs; ++i) data.x.push_back(static_cast<float>(rng.normal()));
  for (std::size_t i = 0; i < data.rows; ++i) data.y.push_back(static_cast<float>(rng.normal()));
  const Batch batch = Batch::all(data);
  State state;
  state.weight_scale = 0.5;
  state.noise_variance = 1e-4;  // a small ridge
  state.gates = Gates::first(model.architecture, 1);
  state.weights.assign(state.shape(model).size(), 0.3f);
  RefitDensity density(model);
  density.bind(batch, state);
  double worst = 0;
  for (std::size_t width = 1; width <= 50; ++width) {
    std::vector<float> incoming;
    for (int k = 0; k < 4; ++k) incoming.push_back(static_cast<float>(rng.normal()));
    const auto joining = density.outside(1, incoming);
    density.propose_birth(joining, {0.1});
    density.accept(rng);
    const auto leaving = density.inside({1, width});
    double largest = 0;
    for (double c : joining.c) largest = std::max(largest, std::abs(c));
    for (std::size_t k = 0; k < joining.c.size(); ++k)
      worst = std::max(worst, std::abs(joining.c[k] - leaving.c[k]) / largest);
  }
  EXPECT_LT(worst, 1e-8);
}

}  // namespace
}  // namespace mbnn
