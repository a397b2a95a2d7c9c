// Encoded rows: what a network sees of a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mbnn {

enum class Task { regression, classification };

struct Dataset {
  std::size_t rows = 0, inputs = 0;
  std::vector<float> x;  // row after row, scaled
  std::vector<float> y;
  std::vector<std::int32_t> labels;
};

}  // namespace mbnn
