// Established nodes that come and go, counted in chains made by hand.
#include "mbnn/tables/turnover.h"

#include <gtest/gtest.h>

#include <array>

#include "mbnn/judge/report.h"

namespace mbnn {
namespace {

// Draw i of `count` has the nodes whose [first, behind) holds i.
std::vector<State> chain_of(std::size_t count, const std::vector<std::array<std::size_t, 2>>& nodes) {
  std::vector<State> draws(count);
  for (std::size_t i = 0; i < count; ++i) {
    draws[i].gates.active.resize(1);
    for (std::size_t node = 0; node < nodes.size(); ++node)
      if (nodes[node][0] <= i && i < nodes[node][1])
        draws[i].gates.active[0].push_back(static_cast<std::uint32_t>(node));
  }
  return draws;
}

// Of 50 draws: one node throughout, one that goes, one that comes, one of 10 draws that does both, and one of 9 that is
// not established. Caught: nodes that stand at the first draw counted as ones that came.
TEST(Turnover, CountsEstablishedNodesThatComeAndGo) {
  const auto layers = turnover({chain_of(50, {{0, 50}, {0, 30}, {20, 50}, {15, 25}, {15, 24}})});
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_EQ(layers[0].came, 2u);
  EXPECT_EQ(layers[0].went, 2u);
  EXPECT_DOUBLE_EQ(layers[0].standing, (50 + 30 + 30 + 10) / 50.0);
}

// A tenth of 300 draws is 30. Chains are added up, those too short to say anything left out.
TEST(Turnover, LongChainsAskForMore) {
  const auto layers =
      turnover({chain_of(300, {{0, 300}, {100, 129}, {100, 130}}), chain_of(19, {{0, 19}}), chain_of(100, {{0, 50}})});
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_EQ(layers[0].came, 1u);
  EXPECT_EQ(layers[0].went, 2u);
  EXPECT_DOUBLE_EQ(layers[0].standing, (300 + 30 + 50) / 400.0);
  EXPECT_TRUE(turnover({chain_of(19, {{0, 19}})}).empty());
}

// Widths of chains by a mean and a spread each; what is said of them.
WidthVerdict verdict(const std::vector<double>& means, bool starts_differ, std::optional<bool> nodes_move,
                     int draws = 100) {
  Rng rng(3, 0);
  Quantity width{"width_1", {}, 0}, prediction{"prediction[0]", {}, 1};
  for (double mean : means) {
    auto& widths = width.chains.emplace_back();
    auto& values = prediction.chains.emplace_back();
    for (int i = 0; i < draws; ++i) {
      widths.push_back(mean + rng.normal());
      values.push_back(rng.normal());
    }
  }
  Evidence evidence;
  evidence.predictions = {prediction};
  evidence.traces = {width};
  evidence.widths_move = true;
  evidence.starts_differ = starts_differ;
  evidence.nodes_move = nodes_move;
  return judge(evidence).widths;
}

using K = WidthVerdict::Kind;

TEST(WidthVerdict, IsUsableOnlyIfDifferentStartsMet) {
  const std::vector<double> same{9, 9, 9, 9};
  EXPECT_EQ(verdict(same, true, true).kind, K::usable);
  EXPECT_EQ(verdict(same, false, true).kind, K::untold);
  EXPECT_EQ(verdict({9}, true, true).kind, K::untold);
  EXPECT_EQ(verdict(same, true, {}).kind, K::usable);
}

// Means 1.5 sd apart have an R-hat of about sqrt(1 + 1.5^2 / 4 * 4 / 3) = 1.3.
TEST(WidthVerdict, IsBadIfChainsKeepTheirWidthsOrNoNodeMoves) {
  EXPECT_EQ(verdict({9, 9, 10.5, 10.5}, true, true).kind, K::not_trusted);
  EXPECT_EQ(verdict({9, 9, 9, 9}, true, false).kind, K::not_trusted);
  EXPECT_EQ(verdict({9, 9, 9, 9}, true, true, 5).kind, K::not_trusted);
}

}  // namespace
}  // namespace mbnn
