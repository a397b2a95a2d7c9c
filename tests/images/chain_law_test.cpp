// What a chain of images does with gradients and noise, as it wires them: against the reference network in double, and
// against the variances that its moves are meant to have.
#include <gtest/gtest.h>

#include <cmath>

#include "mbnn/images/channel_chain.h"
#include "tests/support/batch_means.h"
#include "tests/support/image_patterns.h"

namespace mbnn {
namespace {

constexpr std::size_t kBatch = 10;

// Steps of constant length, masks that stay.
ImageChainOptions steps_of(double step_size, double temperature) {
  ImageChainOptions options;
  options.loader.batch = kBatch;
  options.steps = ImageChainOptions::Steps::constant;
  options.step_size = step_size;
  options.temperature = temperature;
  options.masks = false;
  return options;
}

constexpr double kCold = 1e-30;  // a temperature without noise; 0 is the default one

ImageModel small_cnn(std::size_t images) {
  ImageModel model{plain_cnn({1, 8, 8, 4}, 6), {.scale = 0.1}, {.lambda = 0.05}};
  model.width_prior.rows = images;
  return model;
}

// Where a batch takes a chain that has just started: the same place for all with the same model and seed.
ImageState after_one_batch(const ImageModel& model, const ImageChainOptions& options, const PatternBatch& batch) {
  ImageChain chain(model, options, 10, 1);
  chain.start();
  chain.step(batch.rows());
  return chain.state();
}

ImageState at_start(const ImageModel& model, const ImageChainOptions& options) {
  ImageChain chain(model, options, 10, 1);
  chain.start();
  return chain.state();
}

// All numbers that move: weights, scales and shifts of active channels.
std::vector<double> moving(const ImageModel& model, const ImageState& state) {
  std::vector<double> all(state.weights.begin(), state.weights.end());
  for (const auto part : {&NormState::scale, &NormState::shift})
    for (std::size_t slot : active_slots(model.architecture, state.gates)) all.push_back((state.norm.*part)[slot]);
  return all;
}

// A step of length 1 without noise moves by the gradient over n. Its mean over the batches of an epoch is that of the
// log posterior of all images, each normed within its batch: by difference quotients of the reference network in
// double. Caught when broken: a tenth of the likelihood; not scaled by n / batch; the prior scaled with it.
TEST(ImageChainLaw, StepsOfAnEpochAddUpToTheGradientOfAllImages) {
  constexpr std::size_t batches = 3;
  const ImageModel model = small_cnn(batches * kBatch);
  const double n = static_cast<double>(model.width_prior.rows);
  const ImageChainOptions options = steps_of(1, kCold);
  const ImageState start = at_start(model, options);
  std::vector<double> found(moving(model, start).size(), 0.0);
  std::vector<PatternBatch> epoch;
  for (std::uint64_t b = 0; b < batches; ++b) {
    epoch.emplace_back(model.architecture, kBatch, b);
    const auto before = moving(model, start), after = moving(model, after_one_batch(model, options, epoch.back()));
    for (std::size_t i = 0; i < found.size(); ++i) found[i] += (after[i] - before[i]) * n / batches;
  }

  std::vector<double> weights(start.weights.begin(), start.weights.end());
  auto norms = in_double(start.norm);
  const auto log_posterior = [&] {
    double sum = 0;
    for (const PatternBatch& batch : epoch) {
      const std::vector<double> pixels(batch.pixels.begin(), batch.pixels.end());
      sum += log_likelihood(reference::image_logits<double>(model.architecture, start.gates, weights, norms,
                                                            open_gates(start.gates), pixels, kBatch),
                            batch.labels);
    }
    for (double w : weights) sum -= std::log(0.01 + w * w);  // Cauchy's density with scale 0.1, up to a constant
    return sum;
  };
  const auto quotient = [&](double& value) {
    const double middle = value, step = 1e-6;
    value = middle + step;
    const double upper = log_posterior();
    value = middle - step;
    const double lower = log_posterior();
    value = middle;
    return (upper - lower) / (2 * step);
  };
  double largest = 0;
  for (double g : found) largest = std::max(largest, std::abs(g));
  ASSERT_GT(largest, 1);
  const auto slots = active_slots(model.architecture, start.gates);
  const std::size_t stride = weights.size() / 60;
  for (std::size_t i = 0; i < weights.size(); i += stride)
    EXPECT_NEAR(found[i], quotient(weights[i]), 1e-3 * largest) << "weight " << i;
  for (std::size_t i = 0; i < slots.size(); i += 4) {
    EXPECT_NEAR(found[weights.size() + i], quotient(norms.scale[slots[i]]), 1e-3 * largest) << "scale " << i;
    EXPECT_NEAR(found[weights.size() + slots.size() + i], quotient(norms.shift[slots[i]]), 1e-3 * largest);
  }
}

// The mean of squares over their expected value, each.
double relative_variance(const std::vector<double>& noise, const std::vector<double>& expected) {
  double sum = 0;
  for (std::size_t i = 0; i < noise.size(); ++i) sum += noise[i] * noise[i] / expected[i];
  return sum / static_cast<double>(noise.size());
}

// What a warm chain does beyond a cold one is its noise: of variance 2 e T / n, times the friction for sghmc, times
// G = 1 / |g| for the first batch of a preconditioned chain, in which the mean square is that of its own gradient g.
// T = 1 / sqrt(n) unless another was chosen. Over N numbers the error is sqrt(2 / N); five of those.
// Caught when broken: the default temperature 1 / n, or the root of it; G in place of its root in the noise; a mean
// square that is not corrected for its beginning.
TEST(ImageChainLaw, NoiseHasTheVarianceOfItsTemperature) {
  const std::size_t images = 400;
  const ImageModel model = small_cnn(images);
  const double n = static_cast<double>(images), step = 0.02;
  const PatternBatch batch(model.architecture, kBatch, 1);
  std::vector<double> gradient;  // over n
  {
    const ImageChainOptions cold = steps_of(1, kCold);
    const auto before = moving(model, at_start(model, cold)),
               after = moving(model, after_one_batch(model, cold, batch));
    for (std::size_t i = 0; i < before.size(); ++i) gradient.push_back(after[i] - before[i]);
  }
  for (const auto sampler : {WeightMove::Kind::sgld, WeightMove::Kind::sghmc})
    for (const bool precondition : {false, true})
      for (const double temperature : {0.0, 0.3}) {
        SCOPED_TRACE(
            fmt::format("{}, preconditioned {}, T = {}", static_cast<int>(sampler), precondition, temperature));
        ImageChainOptions warm = steps_of(step, temperature), cold = steps_of(step, kCold);
        for (ImageChainOptions* options : {&warm, &cold}) {
          options->sampler = sampler;
          options->precondition = precondition;
        }
        const auto without = moving(model, after_one_batch(model, cold, batch)),
                   with = moving(model, after_one_batch(model, warm, batch));
        const double used = temperature > 0 ? temperature : 0.05;  // 1 / sqrt(400)
        const double friction = sampler == WeightMove::Kind::sghmc ? warm.friction : 1;
        std::vector<double> noise, expected;
        for (std::size_t i = 0; i < with.size(); ++i) {
          if (std::abs(gradient[i]) < 1e-4) continue;  // a weight of nothing: rounded, or of an endless G
          noise.push_back(with[i] - without[i]);
          expected.push_back(2 * friction * step * used / n / (precondition ? std::abs(gradient[i]) : 1));
        }
        ASSERT_GT(noise.size(), 1000u);
        EXPECT_NEAR(relative_variance(noise, expected), 1, 5 * std::sqrt(2 / static_cast<double>(noise.size())));
      }
}

// Two numbers that should have nothing to do with each other: five standard errors of a correlation of 0.
void expect_unrelated(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  double products = 0, a_squares = 0, b_squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    products += a[i] * b[i], a_squares += a[i] * a[i], b_squares += b[i] * b[i];
  EXPECT_LT(std::abs(products) / std::sqrt(a_squares * b_squares), 5 / std::sqrt(static_cast<double>(a.size())));
}

// Each step has noise of its own, and so have weights, scales and shifts. Steps are so short that warm and cold chains
// see the same gradients. Norms of inactive channels, from which newborns begin, stay as they are.
// Seen to fail with the seed of the first step in all, that of scales for shifts, and inactive norms that move.
TEST(ImageChainLaw, NoiseIsNewForEachStepAndEachNumber) {
  const ImageModel model = small_cnn(400);
  const PatternBatch batch(model.architecture, kBatch, 1);
  const ImageChainOptions warm_options = steps_of(1e-6, 1), cold_options = steps_of(1e-6, kCold);
  ImageChain warm(model, warm_options, 10, 1), cold(model, cold_options, 10, 1);
  warm.start();
  cold.start();
  const ImageState start = warm.state();
  std::vector<double> before(moving(model, start).size(), 0.0), first;
  const std::size_t weights = start.weights.size(), slots = (before.size() - weights) / 2;
  for (int step = 0; step < 2; ++step) {
    warm.step(batch.rows());
    cold.step(batch.rows());
    const auto with = moving(model, warm.state()), without = moving(model, cold.state());
    std::vector<double> noise;
    for (std::size_t i = 0; i < with.size(); ++i) {
      noise.push_back(with[i] - without[i] - before[i]);
      before[i] = with[i] - without[i];
    }
    const auto part = [&](std::size_t begin, std::size_t count) {
      const auto from = noise.begin() + static_cast<std::ptrdiff_t>(begin);
      return std::vector<double>(from, from + static_cast<std::ptrdiff_t>(count));
    };
    expect_unrelated(part(0, slots), part(weights, slots));
    expect_unrelated(part(weights, slots), part(weights + slots, slots));
    if (step == 0)
      first = noise;
    else
      expect_unrelated(first, noise);
  }
  std::vector<char> active(start.norm.scale.size(), 0);
  for (std::size_t slot : active_slots(model.architecture, start.gates)) active[slot] = 1;
  ASSERT_GT(std::count(active.begin(), active.end(), 0), 5);
  for (std::size_t slot = 0; slot < active.size(); ++slot) {
    EXPECT_EQ(warm.state().norm.scale[slot] == start.norm.scale[slot], !active[slot]) << slot;
    EXPECT_EQ(warm.state().norm.shift[slot] == start.norm.shift[slot], !active[slot]) << slot;
  }
}

// Gradients of +-sqrt(v) keep a mean square v as it is. Then the mean move is e G g and the noise's variance 2 a e T G
// / n, a = 1 for sgld, with G = 1 / sqrt(v), which differs by a factor of 1,000 from weight to weight. Five standard
// errors of the mean and of the variance of 4,000 weights. Caught when broken: noise with G for its root; and with no
// G.
TEST(ImageChainLaw, PreconditionedMovesHaveTheirMeanAndVariance) {
  for (const auto kind : {WeightMove::Kind::sgld, WeightMove::Kind::sghmc}) {
    const double n = 300, temperature = 0.2, step = 0.01, friction = 0.1;
    const std::size_t count = 4000;
    const WeightMove move{kind, true, step, temperature, friction, n, 1};
    std::vector<float> weights(count, 0.0f), gradient(count);
    WeightMemory memory;
    for (std::size_t i = 0; i < count; ++i) {
      const double root = std::pow(10, -static_cast<double>(i % 4));  // of v
      memory.squares.push_back(static_cast<float>(root * root));
      gradient[i] = static_cast<float>(n * root) * (i % 8 < 4 ? 1.0f : -1.0f);
    }
    move_weights(move, gradient, weights, memory, 77);
    double mean = 0, variance = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double root = std::pow(10, -static_cast<double>(i % 4));
      EXPECT_NEAR(memory.squares[i], root * root, 1e-5 * root * root);
      const double sd = std::sqrt(2 * (kind == WeightMove::Kind::sghmc ? friction : 1) * step * temperature / root / n);
      const double off = (weights[i] - step * (i % 8 < 4 ? 1 : -1)) / sd;
      mean += off / static_cast<double>(count);
      variance += off * off / static_cast<double>(count);
    }
    EXPECT_NEAR(mean, 0, 5 / std::sqrt(static_cast<double>(count)));
    EXPECT_NEAR(variance, 1, 5 * std::sqrt(2 / static_cast<double>(count)));
  }
}

}  // namespace
}  // namespace mbnn
