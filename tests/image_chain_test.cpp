// Birth, death and the chain of masked convolutional networks.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "image_network_helpers.h"
#include "mbnn/core/error.h"
#include "mbnn/image/chain.h"

namespace mbnn {
namespace {

using At = ImageFlips::At;

struct Problem {
  ImageModel model;
  SmallImages images;
  ImageState state;

  Problem(ImageArchitecture architecture, std::size_t count, Rng& rng)
      : model{std::move(architecture), {.scale = 0.1}, {.lambda = 0.05}}, images(model.architecture, count, rng) {
    model.width_prior.rows = 1000;
    state.gates = random_gates(model.architecture, 0.6, rng);
    state.weights = random_weights(model.architecture, state.gates, rng);
    state.norm = random_norm(model.architecture, rng);
  }
  ImageRows rows() const { return {images.pixels, images.labels}; }
};

// The log-likelihood of the whole network multiplied by masks, with gates of any value.
double masked_log_likelihood(const Problem& p, const ImageState& state, const std::vector<std::vector<double>>& gate) {
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
    Problem p(architecture, 6, rng);
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

// Derivatives by closed gates: the candidates are in the network with a gate of 0, which is then moved.
// Seen to fail with shortcuts of candidates that are not faint.
TEST(ImageFlips, DerivativesByOpenAndClosedGates) {
  Rng rng(12);
  ConvEngine engine(1);
  for (const auto& architecture : {resnet18({3, 8, 8, 4}, 4), plain_cnn({1, 8, 8, 3}, 4)}) {
    Problem p(architecture, 6, rng);
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
    // A gate that opens acts on one side of the ReLUs above it, whose inputs it leaves where they are: exact to the step.
    for (const auto& candidate : candidates) closed.push_back(quotient(gate[candidate.layer - 1][next[candidate.layer - 1]++]));
    for (double d : closed) largest_closed = std::max(largest_closed, std::abs(d));
    ASSERT_GT(largest_closed, 1e-3);
    for (std::size_t i = 0; i < closed.size(); ++i)
      EXPECT_NEAR(found[position + i], closed[i], 1e-3 * largest_closed) << "candidate " << i;
  }
}

ImageChainOptions short_run() {
  ImageChainOptions options;
  options.loader.batch = 10;
  options.burn_in = 1;
  options.draws = 2;
  options.thin = 1;
  options.mask_every = 2;
  options.mask_moves = 2;
  return options;
}

// Batches of the test's own making: a class is a pattern of stripes or squares.
struct Batches {
  std::vector<float> pixels;
  std::vector<std::int32_t> labels;
  Batches(const ImageArchitecture& a, std::size_t count, std::uint64_t seed) {
    Rng rng(seed, 5);
    for (std::size_t i = 0; i < count; ++i) {
      const auto label = rng.below(4);
      labels.push_back(static_cast<std::int32_t>(label));
      for (std::size_t c = 0; c < a.channels; ++c)
        for (std::size_t r = 0; r < a.height; ++r)
          for (std::size_t k = 0; k < a.width; ++k)
            pixels.push_back(static_cast<float>(
                0.5 * rng.normal() + static_cast<double>(((label & 1 ? r : 0) + (label & 2 ? k : 0)) % 2)));
    }
  }
  ImageRows rows() const { return {pixels, labels}; }
};

void run(ImageChain& chain, const ImageModel& model, std::int64_t batches) {
  for (std::int64_t i = 0; i < batches; ++i)
    chain.step(Batches(model.architecture, 10, static_cast<std::uint64_t>(chain.batches_done())).rows());
}

// Seen to fail with: the memory of squares left out of the checkpoint, a proposal's pass that starts one unit above the lowest that changes.
TEST(ImageChain, RestoredChainContinuesToTheSameBits) {
  for (const auto sampler : {WeightMove::Kind::sgld, WeightMove::Kind::sghmc})
    for (const auto test : {MaskTest::plain, MaskTest::mhbt}) {
      ImageModel model{resnet18({1, 8, 8, 4}, 4), {.scale = 0.1}, {.lambda = 0.05}};
      model.width_prior.rows = 200;
      ImageChainOptions options = short_run();
      options.sampler = sampler;
      options.mask_test = test;
      options.birth_death = {Rule::linear, Rule::reciprocal, 2, 8};
      ImageChain straight(model, options, 20, 1), first(model, options, 20, 1), second(model, options, 20, 1);
      straight.start();
      run(straight, model, 30);
      first.start();
      run(first, model, 17);
      second.restore(first.checkpoint());
      run(second, model, 13);
      EXPECT_EQ(straight.checkpoint(), second.checkpoint());
      const MaskCounts& counts = straight.mask_counts();
      EXPECT_GT(counts.births, 0u);
      EXPECT_GT(counts.deaths, 0u);
      EXPECT_NE(straight.state().gates, model.architecture.initial_gates());
    }
}

TEST(ImageChain, LearnsAndPrunes) {
  ImageModel model{plain_cnn({1, 8, 8, 4}, 8), {.scale = 0.1}, {.lambda = 0.1}};
  model.width_prior.rows = 1000;
  ImageChainOptions options = short_run();
  options.thin = 2;
  ImageChain chain(model, options, 50, 1);
  chain.start();
  run(chain, model, 5);
  const double before = chain.training_loss();
  std::size_t draws = 0;
  for (std::int64_t i = 5; i < chain.batches_in_all(); ++i) {
    run(chain, model, 1);
    draws += chain.at_draw();
  }
  EXPECT_EQ(draws, 2u);
  EXPECT_LT(chain.training_loss(), 0.5 * before);
  EXPECT_LT(active_nodes(chain.state().gates).size(), active_nodes(model.architecture.initial_gates()).size());
  const Batches fresh(model.architecture, 200, 999999);
  ConvEngine engine(1);
  ImageNetwork network(model.architecture, engine);
  network.set({&chain.state().gates, chain.state().weights, &chain.state().norm});
  network.forward(fresh.pixels, 200, ImageNetwork::Norm::running);
  std::size_t right = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    const auto row = network.logits().subspan(4 * i, 4);
    right += std::max_element(row.begin(), row.end()) - row.begin() == fresh.labels[i];
  }
  EXPECT_GT(right, 160u);  // chance is 50, with a standard error of 6
}

TEST(ImageChain, StopsBeforeALossThatIsNoNumber) {
  ImageModel model{plain_cnn({1, 8, 8, 4}, 4), {.scale = 0.1}, {.lambda = 0.05}};
  model.width_prior.rows = 200;
  ImageChainOptions options = short_run();
  options.masks = false;
  ImageChain chain(model, options, 20, 1);
  chain.start();
  run(chain, model, 3);
  const auto good = chain.checkpoint();
  Batches bad(model.architecture, 10, 1);
  bad.pixels[17] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(chain.step(bad.rows()), SamplerError);
  ImageChain again(model, options, 20, 1);
  again.restore(good);
  run(again, model, 1);
  EXPECT_TRUE(std::isfinite(again.training_loss()));
}

TEST(ImageChain, RefusesOptionsThatCannotRun) {
  ImageModel model{plain_cnn({1, 8, 8, 4}, 4), {.scale = 0.1}, {.lambda = 0.05}};
  model.width_prior.rows = 9;
  const ImageChainOptions options = short_run();
  EXPECT_THROW(ImageChain(model, options, 1, 1), InputError);  // a batch of 10 from 9 images
}

// Normal target: w ~ N(0, 1 / n) at T = 1 has the gradient -n w of its log density. 4000 independent weights.
// Seen to fail with noise of half the variance.
TEST(WeightMoves, KeepTheLawThatTheyAreFor) {
  for (const auto kind : {WeightMove::Kind::sgld, WeightMove::Kind::sghmc}) {
    const double n = 100, temperature = 0.5;
    std::vector<float> weights(4000, 0.0f), gradient(weights.size());
    WeightMemory memory;
    const WeightMove move{kind, false, kind == WeightMove::Kind::sgld ? 0.02 : 0.002, temperature, 0.1, n, 1};
    for (std::uint64_t t = 0; t < 600; ++t) {
      for (std::size_t i = 0; i < weights.size(); ++i) gradient[i] = static_cast<float>(-n) * weights[i];
      move_weights(move, gradient, weights, memory, 1000 + t);
    }
    double squares = 0, sum = 0;
    for (float w : weights) sum += w, squares += static_cast<double>(w) * w;
    const double variance = squares / static_cast<double>(weights.size());
    // Discretisation adds a percent; the chance error is sqrt(2 / 4000) = 2.2%. Five of those.
    EXPECT_NEAR(variance * n / temperature, 1, 0.12);
    EXPECT_NEAR(sum / static_cast<double>(weights.size()), 0, 5 * std::sqrt(temperature / n / 4000));
  }
}

}  // namespace
}  // namespace mbnn
