// Rows of a data set in the layout of the kernels: all of them once, or a mini-batch at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mbnn/net/dense/dataset.h"
#include "mbnn/net/dense/tiles.h"

namespace mbnn {

struct Batch {
  Tiles x;
  std::vector<float> y;              // regression
  std::vector<std::int32_t> labels;  // classification

  std::size_t rows() const { return x.rows(); }
  static Batch all(const Dataset& data);
  // Replaces the content by the given rows; storage is kept.
  void gather(const Dataset& data, std::span<const std::size_t> rows);
};

}  // namespace mbnn
