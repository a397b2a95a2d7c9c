#include "mbnn/tables/chain_statistics.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

namespace mbnn {

bool PhaseStatistics::plausible() const {
  constexpr std::int64_t most = std::int64_t{1} << 53;
  const auto counts = [](const auto& list) {
    return std::ranges::all_of(list, [](std::int64_t count) { return count >= 0 && count <= most; });
  };
  return counts(std::array{iterations, trajectories, divergences, gradients}) && counts(births_tried) &&
         counts(births_accepted) && counts(deaths_tried) && counts(deaths_accepted) && counts(refits);
}

void PhaseStatistics::add(const PhaseStatistics& other) {
  iterations += other.iterations;
  trajectories += other.trajectories;
  divergences += other.divergences;
  gradients += other.gradients;
  accept_sum += other.accept_sum;
  for (std::size_t i = 0; i < kMaxFlips; ++i) {
    births_tried[i] += other.births_tried[i];
    births_accepted[i] += other.births_accepted[i];
    deaths_tried[i] += other.deaths_tried[i];
    deaths_accepted[i] += other.deaths_accepted[i];
  }
  for (std::size_t i = 0; i < refits.size(); ++i) refits[i] += other.refits[i];
  weight_seconds += other.weight_seconds;
  mask_seconds += other.mask_seconds;
  other_seconds += other.other_seconds;
}

nlohmann::json to_json(const PhaseStatistics& s) {
  auto moves = [](const PhaseStatistics::Counts& tried, const PhaseStatistics::Counts& accepted) {
    nlohmann::json list = nlohmann::json::array();
    for (std::size_t i = 0; i < tried.size(); ++i)
      if (tried[i] > 0) list.push_back({{"nodes", i + 1}, {"tried", tried[i]}, {"accepted", accepted[i]}});
    return list;
  };
  return {{"iterations", s.iterations},
          {"weights",
           {{"trajectories", s.trajectories},
            {"acceptance", s.acceptance()},
            {"divergences", s.divergences},
            {"gradients", s.gradients},
            {"seconds", s.weight_seconds}}},
          {"masks",
           {{"births", moves(s.births_tried, s.births_accepted)},
            {"deaths", moves(s.deaths_tried, s.deaths_accepted)},
            {"refit_births", {{"tried", s.refits[0]}, {"accepted", s.refits[1]}}},
            {"refit_deaths", {{"tried", s.refits[2]}, {"accepted", s.refits[3]}}},
            {"seconds", s.mask_seconds}}},
          {"other_seconds", s.other_seconds}};
}

}  // namespace mbnn
