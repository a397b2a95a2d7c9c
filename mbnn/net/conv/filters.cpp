#include "mbnn/net/conv/filters.h"

#include <numeric>

namespace mbnn {

std::vector<std::vector<std::size_t>> positions_before(const ImageArchitecture& architecture, const Gates& before,
                                                       const Gates& after) {
  const auto always_there = [](std::size_t count) {
    std::vector<std::size_t> positions(count);
    std::iota(positions.begin(), positions.end(), std::size_t{0});
    return positions;
  };
  std::vector<std::vector<std::size_t>> result{always_there(architecture.channels)};
  for (std::size_t u = 1; u <= architecture.gates(); ++u) {
    auto& positions = result.emplace_back(after.active[u - 1].size(), kNowhere);
    for (const ChannelPair& pair : shared_channels(after.active[u - 1], before.active[u - 1]))
      positions[pair.out] = pair.in;
  }
  result.push_back(always_there(architecture.classes));
  return result;
}

Gates with_channels(const Gates& gates, const std::vector<std::vector<std::uint32_t>>& numbers) {
  Gates result = gates;
  for (std::size_t l = 0; l < numbers.size(); ++l)
    result.active[l].insert(result.active[l].end(), numbers[l].begin(), numbers[l].end());
  return result;
}

Gates without_channels(const Gates& gates, std::span<const Node> leaving) {
  std::vector<Node> order(leaving.begin(), leaving.end());
  std::sort(order.begin(), order.end(), [](Node a, Node b) { return a.position > b.position; });
  Gates result = gates;
  for (const Node& node : order) {
    auto& active = result.active[node.layer - 1];
    active.erase(active.begin() + static_cast<std::ptrdiff_t>(node.position));
  }
  return result;
}

}  // namespace mbnn
