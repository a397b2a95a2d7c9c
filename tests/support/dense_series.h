// A structural series as one multivariate normal, written down from the model's equations: what filter, smoother and
// path draws are compared with.
#pragma once

#include <vector>

#include "mbnn/series/kalman.h"

namespace mbnn::dense {

using Matrix = std::vector<std::vector<double>>;

Matrix zeros(std::size_t rows, std::size_t columns);

struct Posterior {
  double log_likelihood = 0;
  std::vector<double> mean;  // [step * states + state]
  Matrix covariance;
  std::vector<std::vector<std::size_t>> components;  // entries of the state that add up to the component's value
  std::vector<std::size_t> entries;                  // of all of them: what is observed
  std::size_t states = 0;
};

Posterior posterior(const SeriesOptions& options, const SeriesParameters& p, Series y);

}  // namespace mbnn::dense
