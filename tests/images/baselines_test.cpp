// The methods that masked convolutional networks are compared with: training, ensembles, pruning by rank, targeted
// dropout.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "mbnn/core/error.h"
#include "mbnn/core/names.h"
#include "mbnn/images/baselines/compression.h"
#include "mbnn/images/baselines/dropout.h"
#include "mbnn/images/baselines/ensembles.h"
#include "mbnn/images/batch_process.h"
#include "tests/support/image_patterns.h"
#include "tests/support/images.h"

namespace mbnn {
namespace {

// Seen to fail with the gradient's sign turned.
TEST(ImageTrainer, LearnsABatch) {
  const ImageModel model = small_model(plain_cnn({1, 8, 8, 4}, 4));
  ImageBaselineOptions options;
  ConvEngine engine(1);
  ImageTrainer trainer(model.architecture, options, engine);
  Rng rng(3);
  ImageState state = initial_state(model, rng);
  TrainerMemory memory;
  const PatternBatch batch(model.architecture, 20, 1);
  const double before = trainer.evaluate(batch.rows(), state);
  for (int i = 0; i < 30; ++i) {
    trainer.evaluate(batch.rows(), state);
    trainer.move(0.01, state, memory);
  }
  EXPECT_LT(trainer.evaluate(batch.rows(), state), 0.3 * before);
}

// What is not in the network has no gradient. In the last stages, of one pixel, only the middles of filters have one.
// Seen to fail with gradients that are not brought back to the whole network.
TEST(ImageTrainer, ChannelsThatAreLeftOutStandStill) {
  const ImageModel model = small_model(resnet18({1, 8, 8, 4}, 3));
  ImageBaselineOptions options;
  options.weight_decay = 0;
  ConvEngine engine(1);
  ImageTrainer trainer(model.architecture, options, engine);
  Rng rng(4);
  ImageState state = initial_state(model, rng);
  const ImageState before = state;
  Gates fewer = state.gates;
  fewer.active[2] = {0, 2};
  TrainerMemory memory;
  trainer.evaluate(PatternBatch(model.architecture, 10, 1).rows(), state, fewer);
  trainer.move(0.01, state, memory);
  std::size_t still = 0, moved = 0;
  for_each_edge(model.architecture, ImageShape(model.architecture, state.gates),
                [&](const ImageEdge& e, std::size_t offset, std::size_t count) {
                  const bool out = (e.out_unit == 3 && e.out == 1) || (e.in_tensor == 3 && e.in == 1);
                  for (std::size_t i = offset; i < offset + count; ++i) {
                    const bool same = state.weights[i] == before.weights[i];
                    EXPECT_TRUE(same || !out) << i;
                    still += out;
                    moved += !same;
                  }
                });
  EXPECT_GT(still, 0u);
  EXPECT_GT(moved, state.weights.size() / 3);
}

// Channels leave in the order of their scores and no more than must.
// Seen to fail with a search that ends one channel late, and without the least width.
TEST(Ranking, PrunesToTheTarget) {
  Rng rng(5);
  for (const auto& architecture : {resnet18({3, 8, 8, 4}, 12), plain_cnn({1, 8, 8, 4}, 20)})
    for (const double share : {0.6, 0.25, 0.1}) {
      const Gates whole = architecture.initial_gates();
      ChannelValues scores;
      for (const auto& active : whole.active) {
        auto& gate = scores.emplace_back();
        for (std::size_t j = 0; j < active.size(); ++j) gate.push_back(rng.normal());
      }
      const Gates pruned = pruned_by_rank(architecture, whole, scores, share);
      const double most = share * static_cast<double>(image_cost(architecture, whole).multiply_adds);
      EXPECT_LE(static_cast<double>(image_cost(architecture, pruned).multiply_adds), most);
      // The one with the highest score of those that left comes back.
      double highest = -100;
      Gates again = pruned;
      std::size_t left = 0;
      for (std::size_t l = 0; l < whole.active.size(); ++l) {
        EXPECT_GE(pruned.active[l].size(), least_channels(whole.active[l].size()));
        for (std::uint32_t c : whole.active[l]) {
          if (std::count(pruned.active[l].begin(), pruned.active[l].end(), c) > 0) continue;
          ++left;
          if (scores[l][c] < highest) continue;
          highest = scores[l][c];
          again = pruned;
          again.active[l].push_back(c);
        }
      }
      ASSERT_GT(left, 0u);
      EXPECT_GT(static_cast<double>(image_cost(architecture, again).multiply_adds), most);
      for (std::size_t l = 0; l < whole.active.size(); ++l)
        for (std::uint32_t c : pruned.active[l])
          EXPECT_TRUE(scores[l][c] > highest || pruned.active[l].size() == least_channels(whole.active[l].size()));
    }
}

TEST(Ranking, SquaresAreThoseOfIncomingFilters) {
  Rng rng(6);
  const ImageArchitecture architecture = resnet18({3, 8, 8, 4}, 3);
  const Gates gates = random_gates(architecture, 0.7, rng);
  const auto weights = random_weights(architecture, gates, rng);
  ChannelValues expected;
  for (const auto& active : gates.active) expected.emplace_back(active.size(), 0.0);
  for_each_edge(architecture, ImageShape(architecture, gates), [&](const ImageEdge& e, std::size_t o, std::size_t n) {
    if (e.out_unit > architecture.gates()) return;
    for (std::size_t i = o; i < o + n; ++i)
      expected[e.out_unit - 1][e.out] += static_cast<double>(weights[i]) * weights[i];
  });
  const auto found = filter_squares(architecture, gates, weights);
  for (std::size_t l = 0; l < expected.size(); ++l)
    for (std::size_t j = 0; j < expected[l].size(); ++j) EXPECT_NEAR(found[l][j], expected[l][j], 1e-9);
}

// The four smallest of ten channels go, each with probability 0.9. In 400 masks a frequency has the standard error
// sqrt(0.09 / 400) = 0.015; that one of the 36 is off by 5 of these is a chance below 1 in 10,000.
// Seen to fail with the largest instead of the smallest, and with a probability of 0.8.
TEST(TargetedDropout, MasksTheSmallestWithItsProbability) {
  const ImageArchitecture architecture = plain_cnn({1, 8, 8, 4}, 10);
  Rng rng(7);
  ImageState state = initial_state({architecture}, rng);
  const auto squares = filter_squares(architecture, state.gates, state.weights);
  std::vector<std::vector<int>> absent;
  for (const auto& active : state.gates.active) absent.emplace_back(active.size(), 0);
  constexpr int masks = 400;
  for (int i = 0; i < masks; ++i) {
    const Gates mask = targeted_mask(architecture, state, 0.4, 0.9, rng);
    for (std::size_t l = 0; l < absent.size(); ++l)
      for (std::uint32_t c : state.gates.active[l])
        absent[l][c] += std::count(mask.active[l].begin(), mask.active[l].end(), c) == 0;
  }
  for (std::size_t l = 0; l < absent.size(); ++l) {
    auto sorted = squares[l];
    std::sort(sorted.begin(), sorted.end());
    const double limit = sorted[sorted.size() * 4 / 10];
    for (std::size_t j = 0; j < absent[l].size(); ++j)
      if (squares[l][j] < limit) {
        EXPECT_NEAR(absent[l][j] / static_cast<double>(masks), 0.9, 0.075) << l << " " << j;
      } else {
        EXPECT_EQ(absent[l][j], 0) << l << " " << j;
      }
  }
  const Gates least = targeted_mask(architecture, state, 1, 1, rng);
  for (const auto& active : least.active) EXPECT_EQ(active.size(), 1u);
}

ImageBaselineOptions quick_options() {
  ImageBaselineOptions options;
  options.learning_rate = 0.01;
  options.norm_batches = 3;
  options.population = 3;
  options.tournament = 2;
  options.candidates = 5;
  options.tuning_batches = 2;
  options.scale_rate = 0.05;
  return options;
}

// The four methods on one small problem: 5 networks, 4 epochs of 6 batches.
struct Methods {
  ImageModel model;
  ImageBaselineOptions options = quick_options();
  ImageSet held_back = random_images(12, 1, 8, 8, 4, 9);
  ImageScaling scaling{{0.5f}, {0.3f}};

  explicit Methods(ImageArchitecture architecture) : model(small_model(std::move(architecture))) {}
  std::unique_ptr<ImageBaseline> make(ImageMethod method) const {
    const ImageBaselineSetting setting{&model, &options, 4, 5, 6, 11, 1};
    switch (method) {
      case ImageMethod::ensemble:
        return std::make_unique<DenseEnsemble>(setting);
      case ImageMethod::ns_ens:
        return std::make_unique<PrunedEnsemble>(setting, held_back, scaling);
      case ImageMethod::ns_mc:
        return std::make_unique<TargetedDropout>(setting);
      default:
        return std::make_unique<VariationalImages>(setting);
    }
  }
  void run(BatchLearner& process, std::int64_t batches, std::vector<ImageState>* draws = nullptr) const {
    for (std::int64_t i = 0; i < batches; ++i) {
      const auto seed = static_cast<std::uint64_t>(process.batches_done());
      process.step(PatternBatch(model.architecture, 10, seed).rows());
      if (draws && process.draw_due()) draws->push_back(*process.draw_due());
    }
  }
};

constexpr ImageMethod kMethods[] = {ImageMethod::ensemble, ImageMethod::ns_ens, ImageMethod::ns_mc, ImageMethod::ns_vi};

// Every method gives five networks that differ and that have learnt the patterns; those that prune are smaller in fact.
TEST(ImageBaselines, GiveFiveNetworks) {
  const Methods methods(plain_cnn({1, 8, 8, 4}, 8));
  const ImageArchitecture& architecture = methods.model.architecture;
  const double dense = static_cast<double>(image_cost(architecture, architecture.initial_gates()).multiply_adds);
  const PatternBatch fresh(architecture, 200, 999999);
  ConvEngine engine(1);
  ImageNetwork network(architecture, engine);
  for (const ImageMethod method : kMethods) {
    const auto process = methods.make(method);
    process->start();
    std::vector<ImageState> draws;
    methods.run(*process, process->batches_in_all(), &draws);
    ASSERT_EQ(draws.size(), 5u) << name_of(method);
    for (std::size_t i = 0; i < draws.size(); ++i) {
      const double cost = static_cast<double>(image_cost(architecture, draws[i].gates).multiply_adds);
      EXPECT_TRUE(method != ImageMethod::ensemble || cost == dense) << cost;
      EXPECT_TRUE(method != ImageMethod::ns_ens || cost <= 0.25 * dense) << cost;
      EXPECT_TRUE(method != ImageMethod::ns_mc || cost < 0.8 * dense) << cost;
      EXPECT_EQ(draws[i].weights.size(), ImageShape(architecture, draws[i].gates).size);
      EXPECT_TRUE(i == 0 || draws[i].weights != draws[i - 1].weights);
      network.set({&draws[i].gates, draws[i].weights, &draws[i].norm});
      network.forward(fresh.pixels, 200, ImageNetwork::Norm::running);
      std::size_t right = 0;
      for (std::size_t k = 0; k < 200; ++k) {
        const auto row = network.logits().subspan(4 * k, 4);
        right += std::max_element(row.begin(), row.end()) - row.begin() == fresh.labels[k];
      }
      EXPECT_GT(right, 80u) << name_of(method) << " " << i;  // chance is 50, with a standard error of 6
    }
  }
}

// Seen to fail with the dense network (a crash), the population's fitness or the memory of the log variances not
// restored.
TEST(ImageBaselines, ResumedProcessesHaveTheSameBits) {
  for (const auto& architecture : {plain_cnn({1, 8, 8, 4}, 4), resnet18({1, 8, 8, 4}, 2)}) {
    Methods methods(architecture);
    methods.options.flops = 0.5;
    for (const ImageMethod method : kMethods) {
      const auto straight = methods.make(method);
      straight->start();
      std::vector<ImageState> whole, parts;
      const std::int64_t all = std::min<std::int64_t>(straight->batches_in_all(), 70);
      methods.run(*straight, all, &whole);
      auto process = methods.make(method);
      process->start();
      for (std::int64_t cut = 0; cut < all; cut += 7) {
        methods.run(*process, std::min<std::int64_t>(7, all - cut), &parts);
        auto next = methods.make(method);
        next->restore(process->checkpoint());
        process = std::move(next);
      }
      EXPECT_EQ(straight->checkpoint(), process->checkpoint()) << name_of(method);
      ASSERT_EQ(whole.size(), parts.size());
      EXPECT_GT(whole.size(), 0u) << name_of(method);
      for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_EQ(whole[i].weights, parts[i].weights);
    }
  }
}

TEST(ImageBaselines, StopBeforeALossThatIsNoNumber) {
  const Methods methods(plain_cnn({1, 8, 8, 4}, 4));
  for (const ImageMethod method : kMethods) {
    const auto process = methods.make(method);
    process->start();
    methods.run(*process, 30);
    PatternBatch bad(methods.model.architecture, 10, 1);
    bad.pixels[17] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THROW(process->step(bad.rows()), SamplerError) << name_of(method);
  }
}

TEST(ImageBaselines, RefuseByName) {
  const ImageArchitecture architecture = plain_cnn({1, 8, 8, 4}, 10);
  const auto refused = [&](ImageMethod method, std::int64_t epochs, const std::string& name,
                           const std::function<void(ImageBaselineOptions&)>& change) {
    ImageBaselineOptions options;
    change(options);
    try {
      options.check(method, architecture, epochs);
      ADD_FAILURE() << name;
    } catch (const InputError& e) {
      EXPECT_EQ(std::string(e.what()).find(name), 0u) << e.what();
    }
  };
  const auto as_is = [](ImageBaselineOptions&) {};
  refused(ImageMethod::ns_ens, 1, "epochs = 1", as_is);
  refused(ImageMethod::ns_ens, 4, "flops = 0.001", [](auto& o) { o.flops = 0.001; });
  refused(ImageMethod::ns_ens, 4, "search-tournament = 17", [](auto& o) { o.tournament = 17; });
  refused(ImageMethod::ns_ens, 4, "search-candidates = 3", [](auto& o) { o.candidates = 3; });
  refused(ImageMethod::ns_mc, 4, "drop-share = 1.5", [](auto& o) { o.drop_share = 1.5; });
  refused(ImageMethod::ns_mc, 4, "drop-probability = -1", [](auto& o) { o.drop_probability = -1; });
  refused(ImageMethod::ns_vi, 4, "variational-rate = 0", [](auto& o) { o.variational_rate = 0; });
  refused(ImageMethod::ensemble, 4, "learning-rate = -1", [](auto& o) { o.learning_rate = -1; });
  EXPECT_THROW(named<ImageMethod>("ns", "method"), InputError);
  for (const ImageMethod method : kMethods) EXPECT_EQ(named<ImageMethod>(name_of(method), "method"), method);
}

TEST(ImageBaselines, LearningRateFollowsTheNetworkUnlessGiven) {
  ImageBaselineOptions options;
  EXPECT_EQ(options.learning_rate_for(resnet18({3, 8, 8, 4}, 3)), 0.001);
  EXPECT_EQ(options.learning_rate_for(plain_cnn({1, 8, 8, 4}, 3)), 0.005);
  options.learning_rate = 0.02;
  EXPECT_EQ(options.learning_rate_for(plain_cnn({1, 8, 8, 4}, 3)), 0.02);
}

TEST(HoldBack, LosesNoImage) {
  ImageSet images = random_images(50, 1, 3, 3, 10, 12);
  const ImageSet whole = images;
  Rng rng(13);
  const ImageSet held = hold_back(images, 20, rng);
  ASSERT_EQ(images.count, 30u);
  ASSERT_EQ(held.count, 20u);
  using Labelled = std::pair<std::vector<std::uint8_t>, std::uint16_t>;
  std::vector<Labelled> before, after;
  const auto list = [](const ImageSet& set, std::vector<Labelled>& to) {
    for (std::size_t i = 0; i < set.count; ++i)
      to.emplace_back(std::vector<std::uint8_t>(set.image(i).begin(), set.image(i).end()), set.labels[i]);
  };
  list(whole, before);
  list(images, after);
  list(held, after);
  EXPECT_NE(before, after);
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  EXPECT_EQ(before, after);
}

}  // namespace
}  // namespace mbnn
