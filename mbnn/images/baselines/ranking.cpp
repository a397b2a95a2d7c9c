#include "mbnn/images/baselines/ranking.h"

#include <algorithm>
#include <numeric>

#include "mbnn/images/method.h"
#include "mbnn/net/conv/filters.h"

namespace mbnn {

ChannelValues filter_squares(const ImageArchitecture& architecture, const Gates& gates,
                             std::span<const float> weights) {
  const ImageShape shape(architecture, gates);
  ChannelValues squares;
  for (std::size_t u = 1; u <= architecture.gates(); ++u) {
    auto& gate = squares.emplace_back(shape.widths[u], 0.0);
    for (const FilterBlock* block : {&shape.filters[u - 1], &shape.projections[u - 1]})
      for (std::size_t i = 0; i < block->size(); ++i) {
        const double w = weights[block->offset + i];
        gate[i / (block->in * block->taps())] += w * w;
      }
  }
  return squares;
}

Gates pruned_by_rank(const ImageArchitecture& architecture, const Gates& gates, const ChannelValues& scores,
                     double share) {
  std::vector<Node> order = active_nodes(gates);
  std::stable_sort(order.begin(), order.end(), [&](const Node& a, const Node& b) {
    return scores[a.layer - 1][a.position] < scores[b.layer - 1][b.position];
  });
  std::vector<std::size_t> left;
  for (const auto& active : gates.active) left.push_back(active.size());
  std::vector<Node> leaving;  // in the order in which they may go
  for (const Node& node : order) {
    if (left[node.layer - 1] <= least_channels(gates.active[node.layer - 1].size())) continue;
    --left[node.layer - 1];
    leaving.push_back(node);
  }
  const double most = share * static_cast<double>(image_cost(architecture, architecture.initial_gates()).multiply_adds);
  const auto after = [&](std::size_t count) { return without_channels(gates, std::span(leaving).first(count)); };
  std::size_t low = 0, high = leaving.size();  // costs fall with the number that leaves
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (static_cast<double>(image_cost(architecture, after(middle)).multiply_adds) <= most)
      high = middle;
    else
      low = middle + 1;
  }
  return after(low);
}

ImageState without_others(const ImageArchitecture& architecture, const ImageState& state, const Gates& kept) {
  return {kept, rearrange(architecture, state.gates, state.weights, kept, [](const ImageEdge&, std::span<float>) {}),
          state.norm};
}

Gates targeted_mask(const ImageArchitecture& architecture, const ImageState& state, double share, double probability,
                    Rng& rng) {
  const ChannelValues squares = filter_squares(architecture, state.gates, state.weights);
  std::vector<Node> leaving;
  for (std::size_t l = 1; l <= squares.size(); ++l) {
    const auto& own = squares[l - 1];
    std::vector<std::size_t> order(own.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return own[a] < own[b]; });
    const auto candidates = std::min(own.size() - 1, static_cast<std::size_t>(share * static_cast<double>(own.size())));
    for (std::size_t i = 0; i < candidates; ++i)
      if (rng.uniform() < probability) leaving.push_back({l, order[i]});
  }
  return without_channels(state.gates, leaving);
}

}  // namespace mbnn
