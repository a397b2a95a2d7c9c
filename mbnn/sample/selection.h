// The three rules by which birth and death choose nodes, and the law of a set chosen without replacement.
#pragma once

#include <span>
#include <vector>

#include "mbnn/core/rng.h"
#include "mbnn/sample/move_options.h"

namespace mbnn {

enum class Direction { birth, death };

std::vector<double> log_selection_weights(Rule rule, Direction direction, std::span<const double> derivatives);

// `count` different indices, each next one with probability proportional to its weight among those left.
std::vector<std::size_t> choose_without_replacement(std::span<const double> log_weights, std::size_t count, Rng& rng);

// The log probability that choose_without_replacement returns this set, in whatever order.
double log_probability_of_set(std::span<const double> log_weights, std::span<const std::size_t> set);

}  // namespace mbnn
