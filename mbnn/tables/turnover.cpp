#include "mbnn/tables/turnover.h"

#include <algorithm>
#include <map>

namespace mbnn {

namespace {

// Adds what one layer of a chain does; `standing` is counted in draws.
void follow(const std::vector<State>& draws, std::size_t layer, Turnover& sum) {
  const std::size_t established = std::max<std::size_t>(10, draws.size() / 10);
  std::map<std::size_t, std::size_t> since;  // the draw at which each node that stands was first seen
  auto leave = [&](std::size_t first, std::size_t behind) {
    if (behind - first < established) return;
    sum.standing += static_cast<double>(behind - first);
    sum.came += first > 0;
    sum.went += behind < draws.size();
  };
  for (std::size_t i = 0; i < draws.size(); ++i) {
    std::map<std::size_t, std::size_t> still;
    for (const auto node : draws[i].gates.active[layer]) {
      const auto seen = since.find(node);
      still[node] = seen == since.end() ? i : seen->second;
    }
    for (const auto& [node, first] : since)
      if (!still.contains(node)) leave(first, i);
    since = std::move(still);
  }
  for (const auto& [node, first] : since) leave(first, draws.size());
}

}  // namespace

std::vector<Turnover> turnover(const std::vector<std::vector<State>>& chains) {
  std::vector<Turnover> layers;
  double draws = 0;
  for (const auto& chain : chains) {
    if (chain.size() < 20) continue;
    layers.resize(chain.front().gates.active.size());
    for (std::size_t l = 0; l < layers.size(); ++l) follow(chain, l, layers[l]);
    draws += static_cast<double>(chain.size());
  }
  for (Turnover& layer : layers) layer.standing /= draws;
  return layers;
}

}  // namespace mbnn
