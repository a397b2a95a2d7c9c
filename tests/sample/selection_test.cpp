// Rules of choice, and sets that are drawn without replacement: these come as often as their probabilities say.
#include "mbnn/sample/selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace mbnn {
namespace {

// The table of docs/sampling.md for derivatives of 1 and -3. Laws of chains do not tell one rule from another.
// Seen to fail with the linear rule upside down, and with derivatives in place of their halves.
TEST(Selection, WeightsOfTheRulesByHand) {
  const std::vector<double> d{1, -3};
  using Weights = std::vector<double>;
  for (const auto direction : {Direction::birth, Direction::death}) {
    EXPECT_EQ(log_selection_weights(Rule::uniform, direction, d), (Weights{0, 0}));
    EXPECT_EQ(log_selection_weights(Rule::reciprocal, direction, d), (Weights{-0.5, -1.5}));
  }
  EXPECT_EQ(log_selection_weights(Rule::linear, Direction::birth, d), (Weights{0.5, -1.5}));
  EXPECT_EQ(log_selection_weights(Rule::linear, Direction::death, d), (Weights{-0.5, 1.5}));
}

// Caught when broken: a denominator that does not shrink with the choices made.
TEST(Selection, SetProbabilitiesSumToOneAndMatchFrequencies) {
  const std::vector<double> log_weights{0.3, -1.2, 2.0, -400.0, 0.9};
  double total = 0;
  std::map<std::vector<std::size_t>, double> probability;
  for (std::size_t a = 0; a < 5; ++a)
    for (std::size_t b = a + 1; b < 5; ++b)
      for (std::size_t c = b + 1; c < 5; ++c) {
        const std::vector<std::size_t> set{a, b, c};
        probability[set] = std::exp(log_probability_of_set(log_weights, set));
        total += probability[set];
      }
  EXPECT_NEAR(total, 1, 1e-12);
  Rng rng(1);
  std::map<std::vector<std::size_t>, int> counts;
  const int n = 40000;
  for (int i = 0; i < n; ++i) {
    auto set = choose_without_replacement(log_weights, 3, rng);
    std::sort(set.begin(), set.end());
    ++counts[set];
  }
  for (const auto& [set, p] : probability) EXPECT_NEAR(counts[set], n * p, 4 * std::sqrt(n * p * (1 - p)) + 1e-9);
  // By hand, for two of three: p(a)p(b|a) + p(b)p(a|b).
  const std::vector<double> three{std::log(1.0), std::log(2.0), std::log(5.0)};
  const std::vector<std::size_t> first_two{0, 1};
  EXPECT_NEAR(std::exp(log_probability_of_set(three, first_two)), 1.0 / 8 * 2 / 7 + 2.0 / 8 * 1 / 6, 1e-12);
  const std::vector<std::size_t> everything{0, 1, 2};
  EXPECT_NEAR(log_probability_of_set(three, everything), 0, 1e-12);
}

}  // namespace
}  // namespace mbnn
