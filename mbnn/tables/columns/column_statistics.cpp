#include "mbnn/tables/columns/column_statistics.h"

#include <algorithm>
#include <cmath>

namespace mbnn {

// Two passes over values brought near one by a power of two, which is exact: neither 1e300 nor 1e-300 is lost.
Moments moments(const NumberCells& cell, std::span<const std::size_t> rows) {
  Moments result;
  double least = 0, most = 0;
  for (const std::size_t row : rows) {
    const double value = cell(row);
    if (std::isnan(value)) continue;
    least = result.count == 0 ? value : std::min(least, value);
    most = result.count == 0 ? value : std::max(most, value);
    ++result.count;
  }
  result.constant = least == most;
  if (result.constant) return result;

  int exponent = 0;
  std::frexp(std::max(std::abs(least), std::abs(most)), &exponent);
  exponent = std::clamp(exponent, -1000, 1000);  // so that the factor is a normal number
  const double factor = std::ldexp(1.0, -exponent);
  const auto count = static_cast<double>(result.count);
  double sum = 0, squares = 0;
  for (const std::size_t row : rows)
    if (const double value = cell(row); !std::isnan(value)) sum += value * factor;
  const double mean = sum / count;
  for (const std::size_t row : rows) {
    if (const double value = cell(row); !std::isnan(value)) {
      const double deviation = value * factor - mean;
      squares += deviation * deviation;
    }
  }
  result.mean = std::ldexp(mean, exponent);
  result.sd = std::ldexp(std::sqrt(squares / count), exponent);
  result.constant = result.sd == 0;
  return result;
}

std::vector<std::size_t> level_counts(const Column& column, std::span<const std::size_t> rows) {
  std::vector<std::size_t> counts(column.levels.size());
  for (const std::size_t row : rows)
    if (column.codes[row] >= 0) ++counts[static_cast<std::size_t>(column.codes[row])];
  return counts;
}

}  // namespace mbnn
