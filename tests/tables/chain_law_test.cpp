// What a chain of a table samples, as it wires its moves: laws that are known without it.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "mbnn/core/error.h"
#include "mbnn/sample/adapt.h"
#include "mbnn/tables/chain.h"
#include "mbnn/tables/state_bytes.h"
#include "tests/support/batch_means.h"
#include "tests/support/mlp_reference.h"
#include "tests/support/tiny_network.h"

namespace mbnn {
namespace {

// The one place of this file that makes a chain. Model, data and options must outlive it.
Chain make_chain(const Model& model, const TrainingData& data, const ChainOptions& options, std::uint64_t seed) {
  return Chain(model, data, options, seed, 0);
}

// No warm-up, so that the masses are the noise variance and step sizes are as given.
ChainOptions options_of(Sampler sampler, double step, std::size_t batch, std::size_t batches) {
  ChainOptions options;
  options.sampler = sampler;
  options.warmup = 0;
  options.thin = 1;
  options.draws = 1'000'000;  // the schedule is constant
  options.schedule.initial = step;
  options.batch = batch;
  options.batches = batches;
  return options;
}

struct Matrix {
  std::array<double, 4> v{};
  double operator()(int i, int j) const { return v[static_cast<std::size_t>(2 * i + j)]; }
};
Matrix operator+(const Matrix& a, const Matrix& b) {
  return {{a.v[0] + b.v[0], a.v[1] + b.v[1], a.v[2] + b.v[2], a.v[3] + b.v[3]}};
}
Matrix operator*(double s, const Matrix& a) { return {{s * a.v[0], s * a.v[1], s * a.v[2], s * a.v[3]}}; }
Matrix operator*(const Matrix& a, const Matrix& b) {
  const auto at = [&](int i, int j) { return a(i, 0) * b(0, j) + a(i, 1) * b(1, j); };
  return {{at(0, 0), at(0, 1), at(1, 0), at(1, 1)}};
}
Matrix transposed(const Matrix& a) { return {{a(0, 0), a(1, 0), a(0, 1), a(1, 1)}}; }
Matrix inverse(const Matrix& a) {
  const double determinant = a(0, 0) * a(1, 1) - a(0, 1) * a(1, 0);
  return (1 / determinant) * Matrix{{a(1, 1), -a(0, 1), -a(1, 0), a(0, 0)}};
}

// A line through 20 points under a normal prior with known noise: the posterior is normal, by ridge regression.
struct Line {
  static constexpr double kNoise = 0.5, kScale = 0.5, kRows = 20;
  Dataset data;
  std::array<double, 2> mean;  // of slope and constant
  Matrix precision;

  Line() {
    Rng rng(31);
    data.rows = static_cast<std::size_t>(kRows);
    data.inputs = 1;
    precision = {{1 / (kScale * kScale), 0, 0, 1 / (kScale * kScale)}};
    std::array<double, 2> products{};
    for (std::size_t i = 0; i < data.rows; ++i) {
      data.x.push_back(static_cast<float>(0.5 + rng.normal()));
      data.y.push_back(static_cast<float>(0.9 * data.x[i] - 0.6 + std::sqrt(kNoise) * rng.normal()));
      precision = precision + row_precision(i);
      products[0] += data.x[i] * static_cast<double>(data.y[i]) / kNoise;
      products[1] += data.y[i] / kNoise;
    }
    const Matrix covariance = inverse(precision);
    mean = {covariance(0, 0) * products[0] + covariance(0, 1) * products[1],
            covariance(1, 0) * products[0] + covariance(1, 1) * products[1]};
  }
  Matrix row_precision(std::size_t i) const {
    const double x = data.x[i];
    return (1 / kNoise) * Matrix{{x * x, x, x, 1}};
  }
  Model model() const {
    Model model;
    model.architecture = {1, {}, 1};
    model.weight_prior = {WeightPrior::Family::normal, kScale};
    model.width_prior.rows = data.rows;
    model.noise_prior.fixed = kNoise;
    model.masks = false;
    return model;
  }

  // The covariance of what follows u = (1 - a) u + s G + sqrt(2 a s T) ξ, w += u, where G is the gradient on `batch`
  // rows drawn with replacement, scaled up: the posterior's times T for small s. G falls linearly with w, so means of
  // squares go into means of squares, and repetition finds those that stay. With a = 1 and s = e²/2 M⁻¹ it is
  // Langevin's move.
  Matrix covariance(double s, double a, double temperature, double batch) const {
    Matrix of_w, with_u, of_u;  // means of w wᵀ, w uᵀ, u uᵀ, w from the posterior's mean
    Matrix whole;               // the likelihood's part of the precision, a row's mean
    for (std::size_t i = 0; i < data.rows; ++i) whole = whole + (1 / kRows) * row_precision(i);
    for (int repeat = 0; repeat < 20000; ++repeat) {
      Matrix spread = (-1.0) * (whole * of_w * whole);  // of one row's gradient
      for (std::size_t i = 0; i < data.rows; ++i) {
        const Matrix p = row_precision(i);
        const double x = data.x[i], error = data.y[i] - mean[0] * x - mean[1];
        spread = spread + (1 / kRows) * (p * of_w * p + (error * error / kNoise) * p);
      }
      // At the mean the rows' gradients add up to that of the prior, which is the same in all.
      const double prior = 1 / (kScale * kScale * kRows);
      spread = spread +
               (-prior * prior) * Matrix{{mean[0] * mean[0], mean[0] * mean[1], mean[0] * mean[1], mean[1] * mean[1]}};
      const Matrix squares = precision * of_w * precision + (kRows * kRows / batch) * spread;
      const Matrix cross = precision * with_u;
      of_u = (1 - a) * (1 - a) * of_u + (-(1 - a) * s) * (cross + transposed(cross)) + (s * s) * squares +
             (2 * a * s * temperature) * Matrix{{1, 0, 0, 1}};
      const Matrix moved = (1 - a) * with_u + (-s) * (of_w * precision);
      of_w = of_w + moved + transposed(moved) + of_u;
      with_u = moved + of_u;
    }
    return of_w;
  }
};

// Means and covariances in standard errors from 100 batch means: 40 numbers, a false alarm in 1 of 1,000 seeds. Steps
// and mini-batches add a known part to the covariance, which is kept below a third.
// Caught when broken: the likelihood of a mini-batch not scaled by n / batch, a temperature of 1 for another, and its
// square, friction without its factor 2.
TEST(ChainLaw, MiniBatchesSampleTheRidgeRegression) {
  const Line line;
  const Model model = line.model();
  const Matrix exact = inverse(line.precision);
  for (const Sampler sampler : {Sampler::sgld, Sampler::sghmc})
    for (const double temperature : {1.0, 0.25})
      for (const std::size_t batch : {20, 10}) {
        SCOPED_TRACE(
            fmt::format("{}, T = {}, batches of {}", sampler == Sampler::sgld ? "sgld" : "sghmc", temperature, batch));
        const bool momentum = sampler == Sampler::sghmc;
        const double step = momentum ? 0.03 : 0.05;
        ChainOptions options = options_of(sampler, step, batch, 20);
        options.friction = 0.3;
        options.temperature = temperature;
        const TrainingData data = TrainingData::make(line.data, options);
        Chain chain = make_chain(model, data, options, 17);
        State state;
        state.weights = {static_cast<float>(line.mean[0]), static_cast<float>(line.mean[1])};
        state.noise_variance = Line::kNoise;
        state.weight_scale = Line::kScale;
        chain.start_from(state);
        for (int i = 0; i < 100; ++i) chain.iterate();
        constexpr std::size_t length = 15000;
        BatchMeans moments(5);
        for (std::size_t i = 0; i < length; ++i) {
          chain.iterate();
          const double slope = chain.state().weights[0] - line.mean[0],
                       constant = chain.state().weights[1] - line.mean[1];
          const double values[] = {slope, constant, slope * slope, slope * constant, constant * constant};
          moments.add(i, length, values);
        }
        const double s = step * step * Line::kNoise * (momentum ? 1 : 0.5);
        const Matrix expected =
            line.covariance(s, momentum ? options.friction : 1, temperature, static_cast<double>(batch));
        const double laws[] = {0, 0, expected(0, 0), expected(0, 1), expected(1, 1)};
        for (std::size_t f = 0; f < 5; ++f)
          EXPECT_LT(std::abs(moments.z(f, laws[f])), 4.5) << f << ": " << moments.mean(f) << " for " << laws[f];
        for (int i : {0, 1}) {
          EXPECT_NEAR(expected(i, i), temperature * exact(i, i), temperature * exact(i, i) / 3);
          EXPECT_LT(moments.standard_error(i == 0 ? 2 : 4),
                    0.05 * expected(i, i));  // or the test could not see a fault
        }
      }
}

// Weights that hardly move have the same errors always, and 1/σ² is gamma(a + n/2) over b + SSE/2. Mini-batches
// estimate SSE: the 50 of 10 rows to sqrt(2 / 500), whose square is 0.4%. The draws' error is 1 / sqrt(12 * 4000),
// 0.46%; five of those. Caught when broken: errors of the mini-batches not scaled to all rows.
TEST(ChainLaw, MiniBatchesGiveTheNoiseOfAllRows) {
  const Line line;
  Model model = line.model();
  model.noise_prior = {2, 1};
  double errors = 0;
  for (std::size_t i = 0; i < line.data.rows; ++i) {
    const double e = line.data.y[i] - 0.4 * line.data.x[i] - 0.1;
    errors += e * e;
  }
  for (const Sampler sampler : {Sampler::sgld, Sampler::sghmc}) {
    const ChainOptions options = options_of(sampler, 1e-9, 10, 50);
    const TrainingData data = TrainingData::make(line.data, options);
    Chain chain = make_chain(model, data, options, 18);
    State state;
    state.weights = {0.4f, 0.1f};
    state.weight_scale = Line::kScale;
    chain.start_from(state);
    double sum = 0;
    for (int i = 0; i < 4000; ++i) {
      chain.iterate();
      sum += 1 / chain.state().noise_variance / 4000;
    }
    const double expected = (2 + Line::kRows / 2) / (1 + errors / 2);
    EXPECT_NEAR(sum / expected, 1, 0.004 + 5 * 0.0046);
  }
}

// 40 rows that are all alike: a mini-batch of 10 says what all say, and MHBT's correction for its noise is 0. So both
// tests of mask moves are exact, MHBT's at T = n / batch = 4: likelihood and width prior to the power 1 / 4. Weights
// hardly move but by births and deaths, whose newborns come from the prior: the law of the widths is the prior's times
// the mean likelihood of draws from the prior, here with the widths' penalty of 0.5.
// Three frequencies for two tests: |z| > 4.2 in 1 of 5,000 seeds.
// Caught when broken: MHBT at T = 1, with the rows of the batch for n; the plain test without n / batch.
TEST(ChainLaw, MaskMovesOnMiniBatchesKeepTheirLaw) {
  constexpr std::size_t cap = 3, rows = 40, batch = 10;
  constexpr double noise = 4, target = 1.2, penalty = 0.5;
  const Dataset rows_alike{
      rows, 1, std::vector<float>(rows, 1.0f), std::vector<float>(rows, static_cast<float>(target)), {}};
  Model model = tiny_network({cap}, std::pow(penalty, 0.2) / std::log(static_cast<double>(rows)));
  model.width_prior.rows = rows;
  model.noise_prior.fixed = noise;
  const auto widths = [&](double temperature, std::array<double, cap>& error) {
    Rng rng(5);
    constexpr int draws = 100000;
    std::array<double, cap> mass{};
    double total = 0;
    for (std::size_t s = 1; s <= cap; ++s) {
      double sum = 0, squares = 0;
      for (int d = 0; d < draws; ++d) {
        double f = 0;
        for (std::size_t j = 0; j < s; ++j) {
          const double z = std::sqrt(2.0) * rng.normal();  // an edge and a bias
          f += std::max(0.0, z) * rng.normal();
        }
        const double likelihood =
            std::exp(-static_cast<double>(rows) * (target - f) * (target - f) / (2 * noise) / temperature);
        sum += likelihood / draws;
        squares += likelihood * likelihood / draws;
      }
      const double prior = std::exp(-penalty * static_cast<double>(s * s) / temperature);
      mass[s - 1] = prior * sum;
      error[s - 1] = prior * std::sqrt((squares - sum * sum) / draws);
      total += mass[s - 1];
    }
    for (std::size_t s = 0; s < cap; ++s) mass[s] /= total, error[s] /= total;
    return mass;
  };
  for (const MaskTest test : {MaskTest::plain, MaskTest::mhbt}) {
    SCOPED_TRACE(test == MaskTest::mhbt ? "mhbt" : "plain");
    std::array<double, cap> error{}, unused{};
    const auto expected = widths(test == MaskTest::mhbt ? 4 : 1, error);
    EXPECT_GT(std::abs(expected[0] - widths(test == MaskTest::mhbt ? 1 : 4, unused)[0]), 0.1);  // they are far apart
    ChainOptions options = options_of(Sampler::sgld, 1e-9, batch, 1);
    options.mask_test = test;
    const TrainingData data = TrainingData::make(rows_alike, options);
    Chain chain = make_chain(model, data, options, 19);
    State state;
    state.gates.active = {{0}};
    state.weights = {0.5f, 0.5f, 0.5f, 0.0f};  // the last bias stays at 0
    state.noise_variance = noise;
    state.lambda = model.width_prior.lambda;
    chain.start_from(state);
    constexpr std::size_t length = 5000;
    BatchMeans moments(cap);
    for (std::size_t i = 0; i < length; ++i) {
      chain.iterate();
      std::array<double, cap> frequency{};
      frequency[chain.state().gates.active[0].size() - 1] = 1;
      moments.add(i, length, frequency);
    }
    for (std::size_t s = 0; s < cap; ++s) {
      const double standard_error = std::hypot(moments.standard_error(s), error[s]);
      EXPECT_NEAR(moments.mean(s), expected[s], 4.2 * standard_error) << "width " << s + 1;
      EXPECT_LT(standard_error, 0.01);
    }
  }
}

// The adaptation that a checkpoint holds: the six numbers of the step size, and the groups of the metric.
struct Adaptation {
  DualAveraging::Numbers step;
  std::vector<double> groups;
  explicit Adaptation(const Chain& chain) {
    const auto bytes = chain.checkpoint();
    ByteReader in(bytes);
    in.get<std::uint32_t>();
    read_state(in);
    in.get<Rng::State>();
    in.get<std::int64_t>();
    step = in.get<DualAveraging::Numbers>();
    groups = in.get_all<double>();
  }
};

// Draws are of the posterior only if nothing that they are made with still follows them. Caught when broken: step size
// or metric adapted beyond the warm-up, the last step size in place of the averaged one.
TEST(ChainLaw, AdaptationEndsWithTheWarmUp) {
  const Line line;
  Model model = line.model();
  model.architecture = {1, {4}, 1};
  model.masks = true;
  model.noise_prior = {2, 1};
  for (const Sampler sampler : {Sampler::hmc, Sampler::nuts, Sampler::sgld, Sampler::sghmc}) {
    SCOPED_TRACE(enum_names(Sampler())[static_cast<std::size_t>(sampler)]);
    ChainOptions options = options_of(sampler, 0.02, 10, 5);
    options.warmup = 60;
    options.leapfrog_steps = 5;
    options.max_depth = 3;
    options.start = {.widths = {3}, .steps = 50};
    const TrainingData data = TrainingData::make(line.data, options);
    Chain chain = make_chain(model, data, options, 20);
    chain.start();
    const Adaptation before(chain);
    while (chain.warming_up()) chain.iterate();
    const Adaptation learnt(chain);
    const double step = chain.step_size();
    for (int i = 0; i < 200; ++i) chain.iterate();
    const Adaptation after(chain);
    EXPECT_NE(learnt.groups, before.groups);
    EXPECT_EQ(after.groups, learnt.groups);
    EXPECT_EQ(chain.step_size(), step);
    EXPECT_EQ(after.step.averaged, learnt.step.averaged);
    EXPECT_EQ(after.step.count, learnt.step.count);
    if (options.stochastic()) continue;
    EXPECT_EQ(learnt.step.count, 60);
    EXPECT_EQ(step, learnt.step.averaged);
    EXPECT_NE(step, options.initial_step);
  }
}

// An iteration in which the weights leave all bounds is undone as a whole: the state, and what its first batches taught
// the metric. Caught when broken: masses learnt from it kept.
TEST(ChainLaw, AnIterationThatIsUndoneLeavesNothing) {
  const Line line;
  Model model = line.model();
  model.architecture = {1, {8}, 1};
  model.noise_prior = {2, 1};
  for (const Sampler sampler : {Sampler::sgld, Sampler::sghmc}) {
    ChainOptions options = options_of(sampler, sampler == Sampler::sgld ? 3 : 1.5, 10, 10);
    options.warmup = 1000;
    options.start = {.widths = {8}, .steps = 50};
    const TrainingData data = TrainingData::make(line.data, options);
    Chain chain = make_chain(model, data, options, 21);
    chain.start();
    std::int64_t undone = 0;
    for (int i = 0; i < 100; ++i) {
      const State before = chain.state();
      const Adaptation learnt(chain);
      try {
        chain.iterate();
      } catch (const SamplerError&) {
        break;  // how often it may explode before it gives up depends on the kernels' rounding
      }
      const bool kept = chain.warmup_statistics().divergences == undone;
      undone = chain.warmup_statistics().divergences;
      EXPECT_EQ(chain.state().weights == before.weights, !kept) << i;
      EXPECT_EQ(Adaptation(chain).groups == learnt.groups, !kept) << i;
    }
    EXPECT_GT(undone, 5);
    EXPECT_GT(chain.iteration() - undone, 5);
  }
}

}  // namespace
}  // namespace mbnn
