// How much worse a fit predicts a table whose column is shuffled.
#pragma once

#include "mbnn/tables/explain/column_function.h"

namespace mbnn {

struct Importance {
  std::size_t column;
  double loss;   // of the mean log score (nats a row): that of the table less that of the shuffled one
  double error;  // standard error of the mean over shuffles
};

// For each column, the most important first. `data` has targets. The shuffles of a column depend on the seed and on the
// column alone.
std::vector<Importance> importance(const ColumnFunction& function, const Dataset& data, std::size_t shuffles,
                                   std::uint64_t seed);

// The mean log predictive density (of classes: log probability) of the targets.
double log_score(const FittedModel& fitted, const Dataset& data, std::size_t threads);

}  // namespace mbnn
