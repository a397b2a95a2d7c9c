// Daily search volumes of a product and of related keywords, generated: the paper's own are private.
#pragma once

#include <cstdint>
#include <string>

#include "mbnn/tables/columns/table.h"

namespace mbnn::studies {

// A year of days. With z the scaled logs of the keywords' volumes, in thousands of searches a day:
//   keywords  log volume = log base + weekly rhythm + AR(1) with coefficient 0.7, each its own; eight of them
//   product   20 + 1.5 f(z) + level + noise of standard deviation 0.5
//             f = 1.5 max(0, brand - 0.2) + tanh(1.5 reviews) max(0, price + 0.5) - 0.8 max(0, rival) brand
//   level     level_{t+1} = 0.95 level_t + N(0, 0.1)
// Brand searches matter above a threshold only, reviews only when prices are looked up, and a rival takes away from a
// strong brand. The other four keywords have no part in it. The columns are day, product and the keywords.
Table search_volumes(std::uint64_t seed);

// The same as CSV, for other programs.
std::string search_volumes_csv(std::uint64_t seed);

}  // namespace mbnn::studies
