// The two-sample Kolmogorov-Smirnov distance, for the calibration tests.
#pragma once

#include <vector>

namespace mbnn {

double kolmogorov_distance(std::vector<double> a, std::vector<double> b);

}  // namespace mbnn
