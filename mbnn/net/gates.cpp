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

// The r-th number that is not taken, found by walking over the sorted taken ones.
std::uint32_t draw_inactive(std::vector<std::uint32_t> active, std::size_t cap, Rng& rng) {
  std::sort(active.begin(), active.end());
  auto number = static_cast<std::uint32_t>(rng.below(cap - active.size()));
  for (std::uint32_t taken : active)
    if (taken <= number) ++number;
  return number;
}

}  // namespace mbnn
