// Coefficients of a linear part of a series, drawn with the path of states integrated out.
#pragma once

#include <span>
#include <vector>

#include "mbnn/sample/priors.h"
#include "mbnn/series/kalman.h"

namespace mbnn {

// A draw of b in y = sum_k b_k column_k + Z a + noise, with b_k ~ N(0, 1 / precision_k) and the states a integrated
// out. All series are on the time axis; what stands at missing steps is not used. Empty if the system cannot be solved
// in double precision, which depends on nothing that the draw would change.
std::vector<double> draw_coefficients(const Gains& gains, Series y, const std::vector<std::vector<double>>& columns,
                                      std::span<const double> precisions, Rng& rng);

}  // namespace mbnn
