// λ chosen on validation rows: short fits on the rest, the smallest mean -log p wins.
#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "mbnn/tables/configuration.h"

namespace mbnn {

struct LambdaScore {
  double lambda, nll;
};

struct LambdaSearch {
  std::vector<double> values{0.05, 0.075, 0.1, 0.125, 0.15};
  double held_out = 0.2;  // share of rows, at most 5,000 of them
  std::size_t chains = 2;
  std::size_t threads = 2;
  std::function<void(const LambdaScore&)> report;
  std::stop_token stop;
};

// The scores in the order of the values; fewer if stopped.
std::vector<LambdaScore> score_lambdas(const Configuration& configuration, const Encoding& encoding,
                                       const Dataset& data, const LambdaSearch& search);

// The value with the smallest score; throws if no score is a number.
double best_lambda(std::span<const LambdaScore> scores);

}  // namespace mbnn
