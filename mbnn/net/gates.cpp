#include "mbnn/net/gates.h"

#include <algorithm>
#include <numeric>

namespace mbnn {

Gates Gates::first(const Architecture& architecture, std::size_t width) {
  Gates gates;
  for (std::size_t cap : architecture.caps) {
    auto& layer = gates.active.emplace_back(std::min(width, cap));
    std::iota(layer.begin(), layer.end(), 0u);
  }
  return gates;
}

Shape Gates::shape(const Architecture& architecture) const {
  Shape shape;
  shape.widths.push_back(architecture.inputs);
  for (const auto& layer : active) shape.widths.push_back(layer.size());
  shape.widths.push_back(architecture.outputs);
  return shape;
}

}  // namespace mbnn
