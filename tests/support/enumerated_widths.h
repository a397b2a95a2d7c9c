// The posterior of a network so small that its prior can be averaged over: of its widths, and of its errors.
#pragma once

#include <functional>
#include <vector>

#include "mbnn/net/dense/dataset.h"
#include "mbnn/tables/state.h"

namespace mbnn {

struct EnumeratedWidths {
  std::vector<double> mass, error;  // by (s1, s2), s2 changing fastest; the error is that of the average
  double mean = 0, mean_error = 0;  // of a function of the squared errors
};

// Of a regression with two hidden layers and a normal prior of scale 1. The mass of a pair of widths is its prior times
// the evidence: the mean, over draws of the weights from their prior, of what `likelihood` says of their squared
// errors. `power` is that of the width prior.
using OfErrors = std::function<double(double)>;
EnumeratedWidths enumerate_widths(
    const Model& model, const Dataset& data, const OfErrors& likelihood, double power = 1,
    const OfErrors& function = [](double) { return 0.0; });

}  // namespace mbnn
