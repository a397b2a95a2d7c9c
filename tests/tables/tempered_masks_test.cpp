// Births and deaths tested by MHBT: the parts of the test, and chains that use it.
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

ChainOptions chain_options() {
  ChainOptions options;
  options.sampler = Sampler::sgld;
  options.warmup = 10;
  options.draws = 10;
  options.thin = 1;
  options.batch = 16;
  options.batches = 5;
  options.start = {.widths = {4}, .steps = 50};
  options.mask_test = MaskTest::mhbt;
  return options;
}

TEST(TemperedChain, MovesItsMasksAndResumesToTheSameBits) {
  Rng rng(3);
  const Model model = tiny_network({20, 20}, 0.5);
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
