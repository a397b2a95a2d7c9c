// What the kernels of a chain did and what it cost, counted apart for warm-up and sampling.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>

namespace mbnn {

struct PhaseStatistics {
  static constexpr std::size_t kMaxFlips = 10;
  using Counts = std::array<std::int64_t, kMaxFlips>;  // [N - 1]: moves of N nodes

  std::int64_t iterations = 0, trajectories = 0, divergences = 0, gradients = 0;
  double accept_sum = 0;
  Counts births_tried{}, births_accepted{}, deaths_tried{}, deaths_accepted{};
  std::array<std::int64_t, 4> refits{};  // births tried and accepted, deaths tried and accepted
  double weight_seconds = 0, mask_seconds = 0, other_seconds = 0;

  double acceptance() const { return trajectories == 0 ? 0 : accept_sum / static_cast<double>(trajectories); }
  bool plausible() const;  // as a run can have counted: sums go on from there
  void add(const PhaseStatistics& other);
};

nlohmann::json to_json(const PhaseStatistics& statistics);

}  // namespace mbnn
