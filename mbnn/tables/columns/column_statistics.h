// What the training rows say of one column: mean and deviation of numbers, how often each level is met.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mbnn/tables/columns/row_selection.h"

namespace mbnn {

struct Moments {
  std::size_t count = 0;
  double mean = 0;
  double sd = 0;
  bool constant = true;  // told by the values: the rounded sd of equal values need not be zero
};

Moments moments(const NumberCells& cell, std::span<const std::size_t> rows);

std::vector<std::size_t> level_counts(const Column& column, std::span<const std::size_t> rows);

}  // namespace mbnn
