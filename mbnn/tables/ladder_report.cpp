#include "mbnn/tables/ladder_report.h"
#include "mbnn/core/json_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace mbnn {

void judge_ladders(Diagnosis& d) {
  using L = Finding::Level;
  bool any = false;
  std::int64_t trips = 0;
  for (std::size_t c = 0; c < d.statistics.size(); ++c) {
    if (d.statistics[c].is_null() || !d.statistics[c].contains("ladder")) continue;
    const auto& ladder = d.statistics[c].at("ladder");
    const auto powers = ladder.at("powers").get<std::vector<double>>();
    const auto rates = ladder.at("swap_rates").get<std::vector<double>>();
    const auto nodes = ladder.at("nodes").get<std::vector<double>>();
    any = true;
    trips += value_in<std::int64_t>(ladder.at("trips"));
    d.moves.push_back(fmt::format("ladder {}: powers {:.2f}; exchanges {:.2f}; nodes {:.1f}; {} trips", c + 1,
                                  fmt::join(powers, " "), fmt::join(rates, " "), fmt::join(nodes, " "),
                                  value_in<std::int64_t>(ladder.at("trips"))));
    const auto least = std::ranges::min_element(rates);
    const auto rung = least - rates.begin();
    if (*least < 0.1)
      d.add(L::warning,
            fmt::format("rungs {} and {} of ladder {} exchange {:.0f}% of the time", rung + 1, rung + 2, c + 1,
                        100 * *least),
            "states hardly pass there, so what is hotter teaches nothing", "more rungs, or a longer warmup");
  }
  if (any && trips == 0)
    d.add(L::note, "no state has come from the hottest rung to the coldest",
          "the ladders mix among neighbours, and have forgotten less of their starts than they could",
          "more draws, which can be added to the fit, or more rungs");
}

}  // namespace mbnn
