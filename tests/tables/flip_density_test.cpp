// What a birth brings beside what its candidates hold.
#include "mbnn/tables/flip_density.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "tests/support/kolmogorov.h"
#include "tests/support/tiny_network.h"

namespace mbnn {
namespace {

// Two nodes that are born together in adjacent layers share an edge that neither candidate holds. Over 5,000 births it
// is Cauchy with the state's scale: Kolmogorov's distance from 1/2 + atan(w / scale) / pi, at level 1e-4.
// Seen to fail with edges of 0, and with the scale of the prior for that of the state.
TEST(FlipDensity, EdgesBetweenNewbornsAreDrawnFromThePrior) {
  constexpr double scale = 0.6;
  Model model = tiny_network({3, 3}, 0.3);
  model.weight_prior = {WeightPrior::Family::cauchy, 0.1};
  const Batch batch = Batch::all(tiny_data());
  State start;
  start.weight_scale = scale;
  start.gates.active = {{0, 1}, {2}};
  start.weights = {1, 2, 3, 4, 5, 6, 7, 8, 9};  // (1 + 1) * 2, (2 + 1) * 1, (1 + 1) * 1
  const std::vector<FlipDensity::Candidate> pair{{1, {10, 11}, {12}}, {2, {13, 14, 15}, {16}}};
  Rng rng(8);
  FlipDensity density(model);
  std::vector<double> edges;
  for (int i = 0; i < 5000; ++i) {
    State state = start;
    density.bind(batch, state);
    density.propose_birth(pair, rng);
    density.accept(rng);
    // By rows of what is below, the bias last: to three nodes, then from three to two, then from two.
    const std::vector<float> held{1, 2, 10, 3, 4, 11, 5, 13, 6, 14, 12, 0, 7, 15, 8, 16, 9};
    ASSERT_EQ(state.weights.size(), held.size());
    edges.push_back(0.5 + std::atan(std::exchange(state.weights[11], 0.0f) / scale) / std::numbers::pi);
    ASSERT_EQ(state.weights, held);
  }
  EXPECT_LT(kolmogorov_distance_from_law(edges), 2.23 / std::sqrt(static_cast<double>(edges.size())));
}

}  // namespace
}  // namespace mbnn
