// Rows as the network sees them: encoded, scaled, in single precision.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mbnn {

enum class Task { regression, classification };  // two labels are binary classification
constexpr auto enum_names(Task) { return std::array{"regression", "classification"}; }

struct Dataset {
  std::size_t rows = 0;
  std::size_t inputs = 0;
  std::vector<float> x;              // rows * inputs, row after row
  std::vector<float> y;              // regression: the scaled target
  std::vector<std::int32_t> labels;  // classification: places in Encoding::labels()
};

}  // namespace mbnn
