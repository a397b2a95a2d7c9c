// The three rules by which birth and death choose nodes, and the law of a set chosen without replacement.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "mbnn/core/rng.h"

namespace mbnn {

// (a) uniform; (b) reciprocal: exp(-|d| / 2); (c) linear: exp(+d / 2) for birth, exp(-d / 2) for death,
// with d the derivative of the log-likelihood by the gate.
enum class Rule { uniform, reciprocal, linear };
constexpr auto enum_names(Rule) { return std::array{"uniform", "reciprocal", "linear"}; }
enum class Direction { birth, death };

std::vector<double> log_selection_weights(Rule rule, Direction direction, std::span<const double> derivatives);

// `count` different indices, each next one with probability proportional to its weight among those left.
std::vector<std::size_t> choose_without_replacement(std::span<const double> log_weights, std::size_t count, Rng& rng);

// The log probability that choose_without_replacement returns this set, in whatever order.
double log_probability_of_set(std::span<const double> log_weights, std::span<const std::size_t> set);

}  // namespace mbnn
