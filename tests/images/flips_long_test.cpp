// Birth and death of channels leave the law of networks, weights and labels as it was.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "mbnn/images/channel_refit.h"
#include "mbnn/sample/birth_death_moves.h"
#include "tests/support/image_patterns.h"

namespace mbnn {
namespace {

using At = ImageFlips::At;

// Networks from the prior and labels from these networks, moved a few times given the labels, are a sample of the prior
// again: widths follow their law, half of the weights lie within the scale, and the likelihood and its derivatives by
// gates are on average what they were before.
class CalibrationOfImageMoves : public testing::Test {
 protected:
  CalibrationOfImageMoves() {
    model.width_prior.rows = 1000;
    for (const ImageUnit& unit : model.architecture.units) {
      auto& law = expected.emplace_back(unit.cap + 1, 0.0);
      for (std::size_t s = 1; s <= unit.cap; ++s) {
        const double width = static_cast<double>(s);
        law[s] = std::exp(-model.width_prior.penalty(model.width_prior.lambda) * width * width);
      }
      const double total = std::accumulate(law.begin(), law.end(), 0.0);
      for (double& p : law) p /= total;
    }
  }

  ImageState from_prior() {
    ImageState state{{}, {}, NormState(model.architecture.norm_slots())};
    for (std::size_t u = 0; u < model.architecture.units.size(); ++u) {
      double place = rng.uniform();
      std::size_t width = 1;
      while (width < model.architecture.units[u].cap && place > expected[u][width]) place -= expected[u][width++];
      auto& active = state.gates.active.emplace_back();
      while (active.size() < width) active.push_back(draw_inactive(active, model.architecture.units[u].cap, rng));
    }
    state.weights.resize(ImageShape(model.architecture, state.gates).size);
    for (float& w : state.weights) w = static_cast<float>(model.weight_prior.draw(model.weight_prior.scale, rng));
    return state;
  }

  void draw_labels(const ImageState& state) {
    network.set({&state.gates, state.weights, &state.norm});
    network.forward(images.pixels, images.count, ImageNetwork::Norm::batch);
    for (std::size_t i = 0; i < images.count; ++i) {
      const float* logits = network.logits().data() + 2 * i;
      images.labels[i] = rng.uniform() < 1 / (1 + std::exp(logits[1] - logits[0])) ? 0 : 1;
    }
  }

  // `moves` changes the state that the flips are bound to.
  void check(const std::function<void(ImageFlips&)>& moves) {
    std::vector<std::vector<double>> counts;
    for (const auto& law : expected) counts.emplace_back(law.size(), 0.0);
    const double n = 2000;
    ImageFlips flips(model, engine);
    double share_sum = 0, share_squares = 0;
    std::vector<double> likelihoods, derivatives;  // what moves have changed
    const auto mean_log_derivative = [&] {
      double sum = 0;
      const auto by_gate = flips.gate_derivatives(At::current);
      for (double d : by_gate) sum += std::log(std::abs(d) + 1e-3) / static_cast<double>(by_gate.size());
      return sum;
    };
    for (double c = 0; c < n; ++c) {
      ImageState state = from_prior();
      draw_labels(state);
      flips.bind({images.pixels, images.labels}, state, 1);
      const double likelihood = flips.log_likelihood(), derivative = mean_log_derivative();
      moves(flips);
      likelihoods.push_back(flips.log_likelihood() - likelihood);
      derivatives.push_back(mean_log_derivative() - derivative);
      for (std::size_t u = 0; u < counts.size(); ++u) counts[u][state.gates.active[u].size()] += 1;
      const auto within = std::ranges::count_if(state.weights, [](float w) { return std::abs(w) < 1; });
      const double share = static_cast<double>(within) / static_cast<double>(state.weights.size());
      share_sum += share, share_squares += share * share;
    }
    for (const auto* changes : {&likelihoods, &derivatives}) {
      double sum = 0, squares = 0;
      for (double change : *changes) sum += change, squares += change * change;
      EXPECT_NEAR(sum / n, 0, 4 * std::sqrt(squares) / n) << (changes == &likelihoods ? "likelihood" : "derivatives");
    }
    const double share = share_sum / n;
    EXPECT_NEAR(share, 0.5, 4 * std::sqrt((share_squares / n - share * share) / n));
    for (std::size_t u = 0; u < counts.size(); ++u)
      for (std::size_t s = 1; s < counts[u].size(); ++s) {
        const double p = expected[u][s];
        // Four standard errors, over about 15 widths.
        EXPECT_NEAR(counts[u][s] / n, p, 4 * std::sqrt(p * (1 - p) / n)) << "unit " << u + 1 << ", width " << s;
      }
  }

  Rng rng{16};
  ConvEngine engine{1};
  ImageModel model{plain_cnn({1, 4, 4, 2}, 2, 1.5), {.scale = 1}, {.lambda = 0.08}};
  SmallImages images{model.architecture, 24, rng};
  ImageNetwork network{model.architecture, engine};
  std::vector<std::vector<double>> expected;  // of each unit's widths
};

// Seen to fail with: the prior of the other weights left out, the channel that dies taken for a uniform choice.
TEST_F(CalibrationOfImageMoves, Refitted) {
  check([&](ImageFlips& flips) {
    for (int round = 0; round < 20; ++round) {
      const std::size_t layer = 1 + rng.below(flips.layers());
      for (int move = 0; move < 4; ++move) refit_step(flips, layer, PlainTest{}, rng);
    }
  });
}

// Seen to fail with the choice of a reverse death taken for a uniform one.
TEST_F(CalibrationOfImageMoves, BirthDeath) {
  for (const BirthDeathOptions& options :
       {BirthDeathOptions{Rule::uniform, Rule::reciprocal, 3, 0}, BirthDeathOptions{Rule::linear, Rule::linear, 1, 2},
        BirthDeathOptions{Rule::reciprocal, Rule::linear, 2, 4}}) {
    BirthDeath birth_death(options);
    birth_death.judge_by(PlainTest{});
    std::size_t accepted = 0;
    check([&](ImageFlips& flips) {
      birth_death.forget();
      for (int move = 0; move < 12; ++move)
        accepted += birth_death.step(flips, rng).outcome == MoveInfo::Outcome::accepted;
    });
    EXPECT_GT(accepted, 2000u) << "too few to say anything";
  }
}

}  // namespace
}  // namespace mbnn
