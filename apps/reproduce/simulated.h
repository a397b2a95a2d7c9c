// The noisy polynomial of the paper's Figure 1, made from a seed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "mbnn/tables/columns/table.h"

namespace mbnn::studies {

// y = x³ + N(0, 9), x uniform on (-4, 4). The training rows come first, then the test rows.
struct Polynomial {
  static constexpr std::size_t training_rows = 20, test_rows = 1000;
  std::shared_ptr<const Table> table;  // columns x and y
  std::int64_t checksum = 0;
};
Polynomial polynomial_data(std::uint64_t seed);

// A table of the columns x and y that came from no file.
Table points(std::span<const double> x, std::span<const double> y);

}  // namespace mbnn::studies
