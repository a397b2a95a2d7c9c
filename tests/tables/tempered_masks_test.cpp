// Births and deaths tested by MHBT: the tempered law of the masks, its parts, and chains that use it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "mbnn/core/error.h"
#include "mbnn/sample/batch_acceptance.h"
#include "mbnn/sample/birth_death_moves.h"
#include "mbnn/tables/chain.h"
#include "mbnn/tables/configuration.h"
#include "tests/support/mlp_reference.h"
#include "tests/support/prior_draw.h"
#include "tests/support/tiny_network.h"

namespace mbnn {
namespace {

// Two rows of differences 0.1 and 0.4 of five, T = 2: 2.5 * 0.5 / 2, less half of (5/2)² * 0.045 / 2 * (1 - 2/5).
TEST(MhbtChange, ByHand) {
  const std::vector<double> two{0.1, 0.4};
  EXPECT_NEAR(mhbt_change(two, 5, 2), 0.625 - 0.5 * 6.25 * 0.045 / 2 * 0.6, 1e-14);
  EXPECT_NEAR(mhbt_change(two, 2, 2), 0.25, 1e-14);
  EXPECT_TRUE(std::isnan(mhbt_change(std::vector<double>{0.1}, 5, 2)));
}

Dataset random_rows(std::size_t rows, std::size_t classes, Rng& rng) {
  Dataset data;
  data.rows = rows;
  data.inputs = 1;
  for (std::size_t i = 0; i < rows; ++i) {
    data.x.push_back(static_cast<float>(rng.normal()));
    data.y.push_back(static_cast<float>(rng.normal()));
    data.labels.push_back(static_cast<std::int32_t>(rng.below(classes)));
  }
  return data;
}

// Row by row against the sums that the likelihood makes, over more than a tile, with and without truncation.
TEST(LikelihoodRows, SumToTheLogLikelihood) {
  Rng rng(1);
  for (const auto kind : {Likelihood::Kind::gaussian, Likelihood::Kind::binary, Likelihood::Kind::softmax})
    for (const double limit : {std::numeric_limits<double>::infinity(), 0.7}) {
      const std::size_t outputs = kind == Likelihood::Kind::softmax ? 3 : 1;
      const Batch batch = Batch::all(random_rows(200, kind == Likelihood::Kind::binary ? 2 : 3, rng));
      Likelihood likelihood{kind, -limit, limit};
      double statistic = 0, sum = 0;
      for (std::size_t t = 0; t < batch.x.count(); ++t) {
        std::vector<float> f(outputs * kTileRows);
        for (float& v : f) v = static_cast<float>(rng.normal());
        statistic += likelihood.tile(batch, t, f.data(), outputs, 0.3, 1, nullptr);
        std::vector<double> rows(batch.x.valid_rows(t));
        likelihood.rows(batch, t, f.data(), outputs, 0.3, rows.data());
        sum = std::accumulate(rows.begin(), rows.end(), sum);
      }
      EXPECT_NEAR(sum, likelihood.log_likelihood(statistic, 200, 0.3), 1e-3);  // float32 inside the tiles
    }
}

constexpr std::size_t kCap = 3;
constexpr double kNoise = 0.4, kTemperature = 2.5;

Model tiny_model() { return tiny_network({kCap}, 0.5); }

// P(s) with likelihood and width prior to the power 1 / T: the mean over draws from the prior of the weights.
std::vector<double> tempered_widths(double temperature, std::vector<double>& error) {
  const Model model = tiny_model();
  const Dataset data = tiny_data();
  Rng rng(5);
  constexpr int draws = 100000;
  std::vector<double> mass;
  error.clear();
  for (std::size_t s = 1; s <= kCap; ++s) {
    const Shape shape{{1, s, 1}};
    const auto gate = reference::open_gates<double>(shape);
    double sum = 0, squares = 0;
    std::vector<double> w(shape.size());
    for (int i = 0; i < draws; ++i) {
      for (auto& v : w) v = rng.normal();
      double sse = 0;
      for (std::size_t r = 0; r < data.rows; ++r) {
        const double x = data.x[r], e = data.y[r] - reference::forward<double>(shape, w, {&x, 1}, gate)[0];
        sse += e * e;
      }
      const double likelihood = std::exp(-sse / (2 * kNoise) / temperature);
      sum += likelihood;
      squares += likelihood * likelihood;
    }
    const double penalty = model.width_prior.penalty(model.width_prior.lambda) * static_cast<double>(s * s);
    const double prior = std::exp(-penalty / temperature), mean = sum / draws;
    mass.push_back(prior * mean);
    error.push_back(prior * std::sqrt((squares / draws - mean * mean) / draws));
  }
  const double total = std::accumulate(mass.begin(), mass.end(), 0.0);
  for (double& m : mass) m /= total;
  for (double& e : error) e /= total;
  return mass;
}

// Weights by HMC in the tempered law, masks by MHBT on all rows, where it is exact. |z| > 4.2 in 1 of 10,000 runs.
// Caught: the width prior not tempered, 1 / C(p, s) tempered, the likelihood not tempered.
TEST(EnumeratedPosteriorTempered, IsTheLawOfTheMasks) {
  std::vector<double> error;
  const auto expected = tempered_widths(kTemperature, error);
  std::vector<double> unused;
  EXPECT_GT(std::abs(expected[0] - tempered_widths(1, unused)[0]), 0.05);  // or the test could not tell them apart
  const Model model = tiny_model();
  const Dataset data = tiny_data();
  const Batch batch = Batch::all(data);
  Rng rng(77);
  State state = draw_prior_state(model, rng);
  state.noise_variance = kNoise;
  NetworkDensity density(model);
  FlipDensity flips(model);
  BirthDeath birth_death({Rule::uniform, Rule::reciprocal, 1, 0});
  birth_death.judge_by(Tempering{.rows = data.rows, .temperature = kTemperature});
  Hmc hmc;
  std::vector<float> inverse_mass;
  constexpr int kBatches = 50, kLength = 1000;
  std::vector<std::vector<double>> frequency(kCap, std::vector<double>(kBatches));
  for (int b = 0; b < kBatches; ++b)
    for (int i = 0; i < kLength; ++i) {
      density.bind(batch, state, 1 / kTemperature);
      inverse_mass.assign(state.weights.size(), 1.0f);
      hmc.step(density, state.weights, inverse_mass, 0.2 + 0.1 * rng.uniform(), 5, rng);
      flips.bind(batch, state, 1 / kTemperature);
      birth_death.forget();
      for (int move = 0; move < 3; ++move) birth_death.step(flips, rng);
      frequency[state.shape(model).widths[1] - 1][b] += 1.0 / kLength;
    }
  for (std::size_t s = 0; s < kCap; ++s) {
    const auto& f = frequency[s];
    const double mean = std::accumulate(f.begin(), f.end(), 0.0) / kBatches;
    double squares = 0;
    for (double v : f) squares += (v - mean) * (v - mean);
    const double standard_error = std::hypot(std::sqrt(squares / (kBatches - 1) / kBatches), error[s]);
    EXPECT_LT(standard_error, 0.01);
    EXPECT_NEAR(mean, expected[s], 4.2 * standard_error) << "width " << s + 1;
  }
}

ChainOptions chain_options() {
  ChainOptions options;
  options.sampler = Sampler::sgld;
  options.warmup = 10;
  options.draws = 10;
  options.thin = 1;
  options.batch = 16;
  options.batches = 5;
  options.start = {.width = 4, .steps = 50};
  options.mask_test = MaskTest::mhbt;
  return options;
}

TEST(TemperedChain, MovesItsMasksAndResumesToTheSameBits) {
  Rng rng(3);
  Model model = tiny_model();
  model.architecture = {1, {20, 20}, 1};
  const ChainOptions options = chain_options();
  const TrainingData data = TrainingData::make(random_rows(100, 2, rng), options);
  Chain whole(model, data, options, 1, 0), resumed(model, data, options, 1, 0);
  whole.start();
  for (int i = 0; i < 10; ++i) whole.iterate();
  resumed.restore(whole.checkpoint());
  for (int i = 0; i < 10; ++i) {
    whole.iterate();
    resumed.iterate();
  }
  EXPECT_EQ(whole.state().weights, resumed.state().weights);
  EXPECT_EQ(whole.state().gates.active, resumed.state().gates.active);
  const PhaseStatistics& counts = whole.sampling_statistics();
  EXPECT_GT(counts.births_accepted[0] + counts.deaths_accepted[0], 0);
}

TEST(MaskTestOption, IsStoredOnlyWhereItIsNotPlain) {
  Configuration configuration;
  EXPECT_FALSE(to_json(configuration)["chain"].contains("mask_test"));
  EXPECT_EQ(configuration_from_json(to_json(configuration)).chain.mask_test, MaskTest::plain);
  configuration.chain.mask_test = MaskTest::mhbt;
  EXPECT_EQ(to_json(configuration)["chain"]["mask_test"], "mhbt");
  EXPECT_EQ(configuration_from_json(to_json(configuration)).chain.mask_test, MaskTest::mhbt);
}

TEST(StoredNames, UnknownOnesAreRefused) {
  auto json = to_json(Configuration{});
  json["chain"]["sampler"] = "gibbs";
  EXPECT_THAT([&] { configuration_from_json(json); }, testing::ThrowsMessage<InputError>(testing::AllOf(
                                                          testing::HasSubstr("gibbs"), testing::HasSubstr("sghmc"))));
  json["chain"]["sampler"] = "sghmc";
  EXPECT_EQ(configuration_from_json(json).chain.sampler, Sampler::sghmc);
}

TEST(MaskTestOption, IsRefusedWhereItCannotBe) {
  Configuration configuration;
  configuration.chain = chain_options();
  configuration.check();
  configuration.chain.batch = 1;
  EXPECT_THROW(configuration.check(), InputError);
  configuration.chain = chain_options();
  configuration.chain.sampler = Sampler::hmc;
  EXPECT_THROW(configuration.check(), InputError);
  configuration.chain = chain_options();
  configuration.chain.mask_test = MaskTest::tuna;
  EXPECT_THROW(configuration.check(), InputError);
}

}  // namespace
}  // namespace mbnn
