// The chain of masked convolutional networks.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mbnn/core/error.h"
#include "mbnn/images/channel_chain.h"
#include "mbnn/images/checkpoint_bytes.h"
#include "tests/support/image_patterns.h"

namespace mbnn {
namespace {

ImageChainOptions short_run() {
  ImageChainOptions options;
  options.loader.batch = 10;
  options.burn_in = 1;
  options.draws = 2;
  options.thin = 1;
  options.mask_every = 2;
  options.mask_moves = 2;
  options.mask_pool = 5;
  return options;
}

void run(ImageChain& chain, const ImageModel& model, std::int64_t batches) {
  for (std::int64_t i = 0; i < batches; ++i)
    chain.step(PatternBatch(model.architecture, 10, static_cast<std::uint64_t>(chain.batches_done())).rows());
}

// Seen to fail with: the memory of squares left out of the checkpoint, a proposal's pass that starts one unit above the
// lowest that changes.
TEST(ImageChain, RestoredChainContinuesToTheSameBits) {
  for (const auto sampler : {WeightMove::Kind::sgld, WeightMove::Kind::sghmc})
    for (const auto test : {MaskTest::plain, MaskTest::mhbt, MaskTest::sequential}) {
      const bool deep = sampler == WeightMove::Kind::sgld;  // one of the two is enough to see shortcuts
      const ImageSize size{1, 8, 8, 4};
      ImageModel model{deep ? resnet18(size, 4) : plain_cnn(size, 4), {.scale = 0.1}, {.lambda = 0.05}};
      model.width_prior.rows = 200;
      ImageChainOptions options = short_run();
      options.sampler = sampler;
      options.precondition = !deep;
      options.mask_test = test;
      options.birth_death = {Rule::linear, Rule::reciprocal, 2, 8};
      if (test == MaskTest::mhbt) options.mask_moves = 1;
      ImageChain straight(model, options, 20, 1), first(model, options, 20, 1), second(model, options, 20, 1);
      straight.start();
      run(straight, model, 30);
      first.start();
      run(first, model, 17);
      second.restore(first.checkpoint());
      for (std::int64_t i = 17 - second.batches_to_remember(); i < 17; ++i)
        second.remember(PatternBatch(model.architecture, 10, static_cast<std::uint64_t>(i)).rows());
      run(second, model, 13);
      EXPECT_EQ(straight.checkpoint(), second.checkpoint());
      const MaskCounts& counts = straight.mask_counts();
      EXPECT_GT(counts.births, 0u);
      EXPECT_GT(counts.deaths, 0u);
      EXPECT_NE(straight.state().gates, model.architecture.initial_gates());
    }
}

// With a number of epochs the burn-in, through which the step falls, takes seven eighths of the run.
TEST(ImageChain, DrawsOfAGivenNumberOfEpochsComeAtItsEnd) {
  ImageModel model{plain_cnn({1, 8, 8, 4}, 2), {.scale = 0.1}, {.lambda = 0.05}};
  model.width_prior.rows = 200;
  ImageChainOptions options = short_run();
  options.masks = false;
  options.total_epochs = 4;
  ImageChain chain(model, options, 20, 1);
  ASSERT_EQ(chain.batches_in_all(), 80);
  chain.start();
  EXPECT_EQ(chain.step_size(), 0.5);
  std::vector<std::int64_t> draws;
  for (std::int64_t i = 1; i <= 80; ++i) {
    run(chain, model, 1);
    if (chain.at_draw()) draws.push_back(i);
    EXPECT_EQ(chain.step_size() > 0.5 * 0.01, i < 70) << i;
  }
  EXPECT_EQ(draws, std::vector<std::int64_t>({75, 80}));
}

// Seen to fail with draws that are a fixed share of the run apart, of which some come right after a move.
TEST(ImageChain, DrawsAreHalfAPeriodFromTheLastMoves) {
  ImageModel model{plain_cnn({1, 8, 8, 4}, 4), {.scale = 0.1}, {.lambda = 0.05}};
  model.width_prior.rows = 230;
  ImageChainOptions options = short_run();
  options.mask_test = MaskTest::plain;
  options.mask_every = 4;
  for (const std::int64_t epochs : {3, 4}) {  // 69 batches, which no whole number of periods has, and 92
    options.total_epochs = epochs;
    ImageChain chain(model, options, 23, 1);
    chain.start();
    std::int64_t last_move = 0, draws = 0;
    for (std::int64_t i = 1; i <= chain.batches_in_all(); ++i) {
      const MaskCounts before = chain.mask_counts();
      run(chain, model, 1);
      if (chain.mask_counts().births + chain.mask_counts().deaths > before.births + before.deaths) last_move = i;
      if (!chain.at_draw()) continue;
      EXPECT_EQ(i - last_move, 2) << epochs << " " << i;
      ++draws;
    }
    EXPECT_EQ(draws, 2);
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
  const PatternBatch fresh(model.architecture, 200, 999999);
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

// With 7 batches an epoch and every 4th due, masks move at batches 19, 15, ..., half a period before the end; those of
// the sequential test wait for the fourth batch of an epoch.
TEST(ImageChain, SequentialTestWaitsForItsBatches) {
  ImageModel model{plain_cnn({1, 8, 8, 4}, 4), {.scale = 0.1}, {.lambda = 0.05}};
  model.width_prior.rows = 70;
  for (const auto test : {MaskTest::plain, MaskTest::sequential}) {
    ImageChainOptions options = short_run();
    options.mask_every = 4;
    options.mask_pool = 20;
    options.mask_test = test;
    ImageChain chain(model, options, 7, 1);
    chain.start();
    std::vector<std::int64_t> moved;
    for (std::int64_t i = 1; i <= 21; ++i) {
      const auto before = chain.mask_counts();
      run(chain, model, 1);
      const auto after = chain.mask_counts();
      if (after.births + after.deaths > before.births + before.deaths) moved.push_back(i);
    }
    EXPECT_EQ(moved, test == MaskTest::plain ? std::vector<std::int64_t>({3, 7, 11, 15, 19})
                                             : std::vector<std::int64_t>({4, 7, 11, 18, 19}));
  }
}

// What a chain remembers of the norms of channels that are not there is nothing. Seen to fail with the noise of the
// first batch left in it.
TEST(ImageChain, ForgetsTheNormsOfDeadChannels) {
  ImageModel model{plain_cnn({1, 8, 8, 4}, 4, 2.0), {.scale = 0.1}, {.lambda = 0.05}};
  model.width_prior.rows = 200;
  ImageChainOptions options = short_run();
  options.sampler = WeightMove::Kind::sghmc;
  options.precondition = true;
  ImageChain chain(model, options, 20, 1);
  chain.start();
  for (int i = 0; i < 30; ++i) {
    run(chain, model, 1);
    std::vector<char> active(model.architecture.norm_slots(), 0);
    for (std::size_t slot : active_slots(model.architecture, chain.state().gates)) active[slot] = 1;
    const auto bytes = chain.checkpoint();
    ByteReader in(bytes);
    check_image_version(in);
    in.get<std::int64_t>();
    in.get<double>();
    in.get<MaskCounts>();
    in.get<Rng::State>();
    read_image_state(in, model.architecture);
    in.get_all<float>();  // of the weights
    in.get_all<float>();
    for (int of = 0; of < 4; ++of) {  // squares and velocities of scales, and of shifts
      const auto values = in.get_all<float>();
      ASSERT_EQ(values.size(), active.size());
      for (std::size_t slot = 0; slot < values.size(); ++slot) {
        EXPECT_TRUE(active[slot] || values[slot] == 0) << i << " " << of << " " << slot;
        EXPECT_TRUE(!active[slot] || of % 2 == 0 || values[slot] != 0) << i << " " << of << " " << slot;
      }
    }
  }
  EXPECT_GT(chain.mask_counts().accepted_births, 0u);
  EXPECT_GT(chain.mask_counts().accepted_deaths, 0u);
}

TEST(ImageChain, StopsBeforeALossThatIsNoNumber) {
  ImageModel model{plain_cnn({1, 8, 8, 4}, 4), {.scale = 0.1}, {.lambda = 0.05}};
  model.width_prior.rows = 200;
  ImageChainOptions options = short_run();
  options.masks = false;
  ImageChain chain(model, options, 20, 1);
  chain.start();
  run(chain, model, 3);
  const ImageState before = chain.state();
  PatternBatch bad(model.architecture, 10, 1);
  bad.pixels[17] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(chain.step(bad.rows()), SamplerError);
  EXPECT_EQ(chain.batches_done(), 3);
  EXPECT_EQ(chain.state().weights, before.weights);
  for (const auto part : {&NormState::scale, &NormState::shift, &NormState::mean, &NormState::variance})
    EXPECT_EQ(chain.state().norm.*part, before.norm.*part);
  run(chain, model, 1);
  EXPECT_TRUE(std::isfinite(chain.training_loss()));
}

TEST(ImageChain, RefusesOptionsThatCannotRun) {
  ImageModel model{plain_cnn({1, 8, 8, 4}, 4), {.scale = 0.1}, {.lambda = 0.05}};
  model.width_prior.rows = 9;
  const ImageChainOptions options = short_run();
  EXPECT_THROW(ImageChain(model, options, 1, 1), InputError);  // a batch of 10 from 9 images
  model.width_prior.rows = 100;
  ImageChainOptions several = short_run(), tuna = short_run();
  several.mask_test = MaskTest::mhbt;  // with two moves on one batch
  tuna.mask_test = MaskTest::tuna;
  EXPECT_THROW(ImageChain(model, several, 10, 1), InputError);
  EXPECT_THROW(ImageChain(model, tuna, 10, 1), InputError);
}

}  // namespace
}  // namespace mbnn
