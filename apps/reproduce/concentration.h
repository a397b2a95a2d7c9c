// Functions of known smoothness, what the paper's theorems say of learning them, and slopes fitted to what was seen.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mbnn/tables/columns/table.h"

namespace mbnn::studies {

// A function on [-1, 1]^inputs. `smoothness` and `dimension` are the β and d (or K) of its rate: of the Hölder class,
// or of the pair in P that is slowest for a composition.
struct TrueFunction {
  std::string name, about;
  std::size_t inputs;
  double smoothness, dimension;
  double (*value)(std::span<const double> x);

  double error_slope() const { return -smoothness / (2 * smoothness + dimension); }
  // The bound on the widest layer, without its constant: (n^(d / (2β + d)) log n)^(1/2).
  double width_bound(double rows) const;
};

const std::vector<TrueFunction>& true_functions();

// y = f(x) + N(0, noise_sd²), x uniform. The training rows come first; the fresh rows behind them have y = f(x) itself.
struct FunctionSample {
  static constexpr std::size_t fresh_rows = 2000;
  static constexpr double noise_sd = 0.2;
  std::shared_ptr<const Table> table;  // columns x1, x2, ... and y
  std::int64_t checksum = 0;
};
FunctionSample sample_function(const TrueFunction& function, std::size_t rows, std::uint64_t seed);

// Least squares of log y on log x; the standard error is NaN below three points.
struct Slope {
  double value, error;
};
Slope log_log_slope(std::span<const double> x, std::span<const double> y);

}  // namespace mbnn::studies
