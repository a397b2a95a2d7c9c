// Birth and death of channels: what a move changes, its reverse, the batches that judge it, its law.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include "mbnn/images/channel_refit.h"
#include "mbnn/sample/birth_death_moves.h"
#include "tests/support/image_patterns.h"
#include "tests/support/kolmogorov.h"

namespace mbnn {
namespace {

using At = ImageFlips::At;

struct FlipCase {
  ImageModel model;
  SmallImages images;
  ImageState state;

  FlipCase(ImageArchitecture architecture, std::size_t count, Rng& rng)
      : model{std::move(architecture), {.scale = 0.1}, {.lambda = 0.05}}, images(model.architecture, count, rng) {
    model.width_prior.rows = 1000;
    state.gates = random_gates(model.architecture, 0.6, rng);
    state.weights = random_weights(model.architecture, state.gates, rng);
    state.norm = random_norm(model.architecture, rng);
  }
  ImageRows rows() const { return {images.pixels, images.labels}; }
};

// The log-likelihood of the whole network multiplied by masks, with gates of any value.
double masked_log_likelihood(const FlipCase& p, const ImageState& state, const std::vector<std::vector<double>>& gate) {
  const std::vector<double> weights(state.weights.begin(), state.weights.end());
  const std::vector<double> pixels(p.images.pixels.begin(), p.images.pixels.end());
  return log_likelihood(reference::image_logits<double>(p.model.architecture, state.gates, weights,
                                                        in_double(state.norm), gate, pixels, p.images.count),
                        p.images.labels);
}

// A death leaves what a closed gate leaves; the birth of the same channel brings back the same bits.
TEST(ImageFlips, DeathIsAClosedGateAndBirthUndoesIt) {
  Rng rng(11);
  ConvEngine engine(1);
  for (const auto& architecture : {resnet18({3, 8, 8, 4}, 4), plain_cnn({1, 8, 8, 3}, 4)}) {
    FlipCase p(architecture, 6, rng);
    ImageFlips flips(p.model, engine);
    for (std::size_t l = 1; l <= architecture.gates(); ++l) {
      flips.bind(p.rows(), p.state, 1);
      const std::size_t last = flips.active(l) - 1;
      if (last == 0) continue;
      {
        auto gate = open_gates(p.state.gates);
        gate[l - 1][0] = 0;
        flips.propose_death({{l, 0}});
        EXPECT_NEAR(flips.log_likelihood(At::proposed), masked_log_likelihood(p, p.state, gate), 2e-4) << l;
      }
      std::vector<Node> leaving{{l, last}};
      const std::size_t above = l + 1;
      if (above <= architecture.gates() && flips.active(above) > 1) leaving.push_back({above, flips.active(above) - 1});
      const ImageState whole = p.state;
      auto gate = open_gates(whole.gates);
      for (const Node& node : leaving) gate[node.layer - 1][node.position] = 0;
      flips.propose_death(leaving);
      EXPECT_NEAR(flips.log_likelihood(At::proposed), masked_log_likelihood(p, whole, gate), 2e-4) << l;
      EXPECT_NEAR(flips.log_likelihood(At::current), masked_log_likelihood(p, whole, open_gates(whole.gates)), 2e-4);
      const auto back = flips.leaving_candidates();
      flips.accept(rng);
      const Gates fewer = p.state.gates;
      EXPECT_EQ(flips.active(l), last);

      flips.propose_birth(back, rng);
      flips.accept(rng);
      EXPECT_EQ(p.state.gates, whole.gates) << l;
      ASSERT_EQ(p.state.weights.size(), whole.weights.size());
      const ImageShape shape(architecture, whole.gates);
      for_each_edge(architecture, shape, [&](const ImageEdge& e, std::size_t offset, std::size_t count) {
        // Edges between the two that left together are drawn anew.
        const bool both = leaving.size() == 2 && e.in_tensor == l && e.in == last && e.out_unit == above &&
                          e.out == leaving[1].position;
        if (both) return;
        for (std::size_t i = offset; i < offset + count; ++i) ASSERT_EQ(p.state.weights[i], whole.weights[i]) << i;
      });
      p.state = whole;
    }
  }
}

// Channels that are born together in adjacent layers share a filter that neither candidate holds. Its nine weights,
// over 400 births, are Cauchy with the prior's scale: Kolmogorov's distance at level 1e-4. Seen to fail with filters of
// 0.
TEST(ImageFlips, FiltersBetweenNewbornsAreDrawnFromThePrior) {
  Rng rng(22);
  ConvEngine engine(1);
  FlipCase p(plain_cnn({1, 4, 4, 2}, 4), 2, rng);
  p.state.gates = Gates::first({1, {4, 8, 8, 16}, 2}, 2);
  p.state.weights = random_weights(p.model.architecture, p.state.gates, rng);
  ImageFlips flips(p.model, engine);
  const ImageState start = p.state;
  std::vector<double> probabilities;
  for (int i = 0; i < 400; ++i) {
    p.state = start;
    flips.bind(p.rows(), p.state, 1);
    flips.propose_birth(flips.draw_candidates(At::current, std::vector<std::size_t>{1, 1, 0, 0}, rng), rng);
    flips.accept(rng);
    for_each_edge(p.model.architecture, ImageShape(p.model.architecture, p.state.gates),
                  [&](const ImageEdge& e, std::size_t offset, std::size_t count) {
                    if (e.in_tensor != 1 || e.in != 2 || e.out_unit != 2 || e.out != 2) return;
                    for (std::size_t k = offset; k < offset + count; ++k)
                      probabilities.push_back(0.5 + std::atan(p.state.weights[k] / 0.1) / std::numbers::pi);
                  });
  }
  ASSERT_EQ(probabilities.size(), 3600u);
  EXPECT_LT(kolmogorov_distance_from_law(probabilities), 2.23 / 60);
}

// Derivatives by closed gates: the candidates are in the network with a gate of 0, which is then moved.
// Seen to fail with shortcuts of candidates that are not faint.
TEST(ImageFlips, DerivativesByOpenAndClosedGates) {
  Rng rng(12);
  ConvEngine engine(1);
  for (const auto& architecture : {resnet18({3, 8, 8, 4}, 4), plain_cnn({1, 8, 8, 3}, 4)}) {
    FlipCase p(architecture, 6, rng);
    ImageFlips flips(p.model, engine);
    flips.bind(p.rows(), p.state, 1);
    std::vector<std::size_t> counts;
    for (std::size_t l = 1; l <= architecture.gates(); ++l)
      counts.push_back(std::min<std::size_t>(2, flips.cap(l) - flips.active(l)));
    const auto candidates = flips.draw_candidates(At::current, counts, rng);
    const auto found = flips.gate_derivatives(At::current, candidates);
    const auto active_alone = flips.gate_derivatives(At::current);

    ImageState with = p.state;
    auto gate = open_gates(p.state.gates);
    {
      ImageState& state = p.state;
      const ImageState before = state;
      flips.propose_birth(candidates, rng);
      flips.accept(rng);
      with = state;
      state = before;
    }
    for (std::size_t l = 0; l < gate.size(); ++l) gate[l].resize(with.gates.active[l].size(), 0.0);
    const auto quotient = [&](double& value) {
      const double middle = value, step = 1e-6;
      value = middle + step;
      const double upper = masked_log_likelihood(p, with, gate);
      value = middle - step;
      const double lower = masked_log_likelihood(p, with, gate);
      value = middle;
      return (upper - lower) / (2 * step);
    };
    std::size_t position = 0;
    double largest = 0;
    for (double d : active_alone) largest = std::max(largest, std::abs(d));
    for (std::size_t l = 0; l < gate.size(); ++l)
      for (std::size_t j = 0; j < p.state.gates.active[l].size(); ++j, ++position) {
        const double expected = quotient(gate[l][j]);
        EXPECT_NEAR(found[position], expected, 1e-3 * largest) << l << " " << j;
        EXPECT_NEAR(active_alone[position], expected, 1e-3 * largest) << l << " " << j;
      }
    std::vector<std::size_t> next;
    for (const auto& active : p.state.gates.active) next.push_back(active.size());
    double largest_closed = 0;
    std::vector<double> closed;
    // A gate that opens acts on one side of the ReLUs above it, whose inputs it leaves where they are: exact to the
    // step.
    for (const auto& candidate : candidates)
      closed.push_back(quotient(gate[candidate.layer - 1][next[candidate.layer - 1]++]));
    for (double d : closed) largest_closed = std::max(largest_closed, std::abs(d));
    ASSERT_GT(largest_closed, 1e-3);
    for (std::size_t i = 0; i < closed.size(); ++i)
      EXPECT_NEAR(found[position + i], closed[i], 1e-3 * largest_closed) << "candidate " << i;
  }
}

// A refitted death and the refitted birth of the same channel are each other's reverse, and what the others take over
// brings the likelihood closer to what it was.
// Seen to fail with a birth that gives to the others what it should take from them.
TEST(ImageRefit, DeathAndBirthUndoEachOther) {
  Rng rng(14);
  ConvEngine engine(1);
  for (const auto& architecture : {resnet18({3, 8, 8, 4}, 6), plain_cnn({1, 8, 8, 3}, 6)}) {
    FlipCase p(architecture, 30, rng);
    ImageFlips flips(p.model, engine);
    double plain_change = 0, refitted_change = 0;
    for (std::size_t l = 1; l <= architecture.gates(); ++l) {
      flips.bind(p.rows(), p.state, 1);
      const std::size_t last = flips.active(l) - 1;
      if (last == 0) continue;
      const ImageState whole = p.state;
      const Node leaving{l, last};
      flips.propose_death({leaving});
      plain_change += std::abs(flips.log_likelihood(At::proposed) - flips.log_likelihood(At::current));
      const auto substitutes = flips.substitutes(At::current, l);  // a copy: accept() ends them
      const auto losses = flips.losses(At::current, l, substitutes);
      const double prior = flips.propose_refitted_death(leaving, substitutes);
      const double likelihood = flips.log_likelihood(At::proposed) - flips.log_likelihood(At::current);
      refitted_change += std::abs(likelihood);
      const auto back = flips.leaving_candidates();
      flips.accept(rng);

      EXPECT_NEAR(flips.propose_refitted_birth(back.front(), rng), -prior, 1e-3) << l;
      EXPECT_NEAR(flips.log_likelihood(At::proposed) - flips.log_likelihood(At::current), -likelihood, 1e-3) << l;
      const auto losses_again = flips.losses(At::proposed, l, flips.substitutes(At::proposed, l));
      for (std::size_t j = 0; j < losses.size(); ++j) EXPECT_NEAR(losses_again[j], losses[j], 1e-3 * losses[j]) << l;
      flips.accept(rng);
      EXPECT_EQ(p.state.gates, whole.gates);
      for (std::size_t i = 0; i < whole.weights.size(); ++i)
        ASSERT_NEAR(p.state.weights[i], whole.weights[i], 1e-4) << "layer " << l << ", weight " << i;
      p.state = whole;
    }
    EXPECT_LT(refitted_change, plain_change);
  }
}

// The priors' part of a refitted death's ratio by Cauchy's density in double: of all weights after the move, over that
// of all weights before it but those that left. In the last unit, biases above change, too.
// Seen to fail with the prior of these biases left out, and with that of the filters.
TEST(ImageRefit, RatioOfADeathHasThePriorsOfAllThatChanged) {
  Rng rng(21);
  ConvEngine engine(1);
  const auto log_prior = [](std::span<const float> weights) {
    double sum = 0;
    for (double w : weights) sum -= std::log(std::numbers::pi * (0.1 + w * w / 0.1));
    return sum;
  };
  for (const auto& architecture : {resnet18({3, 8, 8, 4}, 6), plain_cnn({1, 8, 8, 3}, 6)}) {
    FlipCase p(architecture, 30, rng);
    ImageFlips flips(p.model, engine);
    for (std::size_t l = 1; l <= architecture.gates(); ++l) {
      flips.bind(p.rows(), p.state, 1);
      ASSERT_GT(flips.active(l), 1u);
      const ImageState before = p.state;
      const double change = flips.propose_refitted_death({l, 0}, flips.substitutes(At::current, l));
      const double left = log_prior(flips.leaving_candidates().front().weights);
      flips.accept(rng);
      EXPECT_NEAR(change, log_prior(p.state.weights) - (log_prior(before.weights) - left), 1e-3) << l;
      if (l == architecture.last()) {
        const std::size_t classes = architecture.classes;
        const auto biases = [&](const ImageState& state) { return std::span(state.weights).last(classes); };
        EXPECT_GT(std::abs(log_prior(biases(p.state)) - log_prior(biases(before))), 0.1);  // or it could not be seen
      }
      p.state = before;
    }
  }
}

// The last unit of these networks has one pixel, and an affine map that is the identity shows its channels as logits.
// Seen to fail with blocks of channels in each other's places.
TEST(ImageRefit, ProductMeans) {
  Rng rng(15);
  const ImageArchitecture architecture = plain_cnn({1, 4, 4, 40}, 8);
  FlipCase p(architecture, 7, rng);
  const std::size_t last = architecture.last(), width = p.state.gates.active[last - 1].size(), order = width + 1;
  ASSERT_GT(width, 16u);  // more than a block, whatever its size
  const ImageShape shape(architecture, p.state.gates);
  std::fill(p.state.weights.begin() + static_cast<std::ptrdiff_t>(shape.affine.offset), p.state.weights.end(), 0.0f);
  for (std::size_t j = 0; j < width; ++j) p.state.weights[shape.affine.offset + j * width + j] = 1;
  for (std::size_t threads : {1, 2}) {
    ConvEngine engine(threads);
    ImageNetwork network(architecture, engine);
    network.set({&p.state.gates, p.state.weights, &p.state.norm});
    network.forward(p.images.pixels, p.images.count, ImageNetwork::Norm::batch);
    const auto products = network.product_means(last);
    for (std::size_t j : {std::size_t{0}, std::size_t{9}, width - 1}) {
      const auto row = network.product_means(last, j);
      ASSERT_EQ(row.size(), order);
      for (std::size_t k = 0; k < order; ++k) EXPECT_NEAR(row[k], products[j * order + k], 1e-5) << j << " " << k;
    }
    ASSERT_EQ(products.size(), order * order);
    const auto h = [&](std::size_t image, std::size_t j) {
      return j == width ? 1.0 : static_cast<double>(network.logits()[image * 40 + j]);
    };
    for (std::size_t j = 0; j < order; ++j)
      for (std::size_t k = 0; k < order; ++k) {
        double mean = 0;
        for (std::size_t i = 0; i < p.images.count; ++i)
          mean += h(i, j) * h(i, k) / static_cast<double>(p.images.count);
        EXPECT_NEAR(products[j * order + k], mean, 1e-5) << j << " " << k;
      }
  }
}

// What moves change on further batches, against networks of their own.
struct FurtherBatches : testing::Test {
  Rng rng{17};
  ConvEngine engine{1};
  FlipCase p{resnet18({3, 8, 8, 4}, 8), 6, rng};
  const SmallImages second{p.model.architecture, 5, rng}, third{p.model.architecture, 7, rng};
  ImageFlips flips{p.model, engine};

  void bind() { flips.bind(p.rows(), p.state, 1, {{second.pixels, second.labels}, {third.pixels, third.labels}}); }

  std::vector<double> log_likelihoods(const ImageState& state, const SmallImages& images) {
    ImageNetwork network(p.model.architecture, engine);
    network.set({&state.gates, state.weights, &state.norm});
    network.forward(images.pixels, images.count, ImageNetwork::Norm::batch);
    return softmax_log_likelihoods(network.logits(), images.labels);
  }

  // Accepts the move that is proposed.
  void check_differences(std::size_t batches) {
    const ImageState before = p.state;
    const auto differences = flips.differences(batches);
    const std::vector<double> found(differences.begin(), differences.end());
    flips.accept(rng);
    std::vector<double> expected;
    const SmallImages* all[] = {&p.images, &second, &third};
    for (std::size_t b = 0; b < batches; ++b) {
      const auto old_terms = log_likelihoods(before, *all[b]), new_terms = log_likelihoods(p.state, *all[b]);
      for (std::size_t k = 0; k < old_terms.size(); ++k) expected.push_back(new_terms[k] - old_terms[k]);
    }
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-4) << i;
  }
};

// Seen to fail with further batches in the reverse order.
TEST_F(FurtherBatches, OfOneMove) {
  bind();
  ASSERT_EQ(flips.batches(), 3u);
  flips.propose_death({{9, 0}});
  ASSERT_EQ(flips.differences(2).size(), 11u);
  check_differences(3);
}

// Moves that stay in a layer use again what they know of each batch, whether they were accepted or not, and as far as
// they looked. Seen to fail with: what lies below kept from the round before, terms of a move that was rejected, terms
// of batches that an accepted move did not look at.
TEST_F(FurtherBatches, OfRoundsInOneLayer) {
  const ImageState whole = p.state;
  for (std::size_t layer : {1, 2, 3, 6, 17}) {
    SCOPED_TRACE(layer);
    p.state = whole;
    bind();
    flips.propose_death({{layer == 6 ? 5u : 6u, 0}});  // a move elsewhere, before the round
    check_differences(3);
    flips.stay_in(layer);
    for (std::size_t batches : {2, 3, 1, 3}) {
      SCOPED_TRACE(batches);
      if (flips.active(layer) < flips.cap(layer)) {
        std::vector<std::size_t> counts(flips.layers(), 0);
        counts[layer - 1] = 1;
        flips.propose_refitted_birth(flips.draw_candidates(At::current, counts, rng).front(), rng);
        flips.differences(3);  // and rejected
      }
      ASSERT_GT(flips.active(layer), 1u);
      flips.propose_refitted_death({layer, 0}, flips.substitutes(At::current, layer));
      check_differences(batches);
    }
  }
}

// After a death the running statistics are those of the smaller network, so that a draw taken at once predicts with
// them. Seen to fail with running statistics that stay as they were.
TEST(ImageRefit, RunningStatisticsFollowAnAcceptedMove) {
  Rng rng(18);
  ConvEngine engine(1);
  for (const auto& architecture : {resnet18({3, 8, 8, 4}, 6), plain_cnn({1, 8, 8, 3}, 6)}) {
    FlipCase p(architecture, 30, rng);
    const auto settle = [&](ImageState& state) {
      ImageNetwork network(architecture, engine);
      network.set({&state.gates, state.weights, &state.norm});
      network.forward(p.images.pixels, p.images.count, ImageNetwork::Norm::batch);
      network.update_running(state.norm, 1);
    };
    settle(p.state);
    ImageFlips flips(p.model, engine);
    flips.bind(p.rows(), p.state, 1);
    flips.propose_refitted_death({2, 1}, flips.substitutes(At::current, 2));
    flips.accept(rng);
    ImageState settled = p.state;
    settle(settled);
    for (std::size_t s = 0; s < settled.norm.mean.size(); ++s) {
      EXPECT_NEAR(p.state.norm.mean[s], settled.norm.mean[s], 1e-3) << s;
      EXPECT_NEAR(p.state.norm.variance[s], settled.norm.variance[s], 1e-3 * settled.norm.variance[s]) << s;
    }
  }
}

}  // namespace
}  // namespace mbnn
