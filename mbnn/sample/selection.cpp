#include "mbnn/sample/selection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mbnn/core/special.h"

namespace mbnn {

std::vector<double> log_selection_weights(Rule rule, Direction direction, std::span<const double> derivatives) {
  std::vector<double> weights(derivatives.size(), 0.0);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (rule == Rule::reciprocal) weights[i] = -std::abs(derivatives[i]) / 2;
    if (rule == Rule::linear) weights[i] = (direction == Direction::birth ? 1 : -1) * derivatives[i] / 2;
  }
  return weights;
}

// Gumbel's trick: the largest `count` of log weight + Gumbel noise are a draw without replacement, in any range of
// weights.
std::vector<std::size_t> choose_without_replacement(std::span<const double> log_weights, std::size_t count, Rng& rng) {
  std::vector<double> keys(log_weights.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = log_weights[i] - std::log(rng.exponential());
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](std::size_t a, std::size_t b) { return keys[a] > keys[b]; });
  order.resize(count);
  return order;
}

// Recursion over subsets T of the set: the probability that the first |T| choices are T, in any order, is the sum over
// the last chosen member j of the same for T without j, times weight_j / (weight of all not in T without j).
double log_probability_of_set(std::span<const double> log_weights, std::span<const std::size_t> set) {
  std::vector<double> others;
  others.reserve(log_weights.size());
  for (std::size_t i = 0; i < log_weights.size(); ++i)
    if (std::find(set.begin(), set.end(), i) == set.end()) others.push_back(log_weights[i]);
  const double rest = log_sum_exp(others);
  const std::size_t subsets = std::size_t{1} << set.size();
  std::vector<double> log_first(subsets, -std::numeric_limits<double>::infinity());
  log_first[0] = 0;
  std::vector<double> terms;
  for (std::size_t t = 0; t + 1 < subsets; ++t) {
    terms.assign(1, rest);
    for (std::size_t j = 0; j < set.size(); ++j)
      if (!(t >> j & 1)) terms.push_back(log_weights[set[j]]);
    const double left = log_sum_exp(terms);
    for (std::size_t j = 0; j < set.size(); ++j) {
      if (t >> j & 1) continue;
      double& target = log_first[t | std::size_t{1} << j];
      const double both[] = {target, log_first[t] + log_weights[set[j]] - left};
      target = log_sum_exp(both);
    }
  }
  return log_first[subsets - 1];
}

}  // namespace mbnn
