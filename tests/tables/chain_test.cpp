// A chain of every sampler: what a checkpoint holds is all that the next iteration starts from.
#include "mbnn/tables/chain.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mbnn/core/error.h"

namespace mbnn {
namespace {

struct Case {
  const char* name;
  ChainOptions options;
};

std::vector<Case> cases() {
  ChainOptions base;
  base.warmup = 20;
  base.draws = 10;
  base.thin = 2;
  base.start = {.widths = {6}, .steps = 60};
  base.leapfrog_steps = 5;
  base.max_depth = 3;
  base.batch = 30;
  base.batches = 4;
  std::vector<Case> result;
  for (const Sampler sampler : {Sampler::hmc, Sampler::nuts, Sampler::sgld, Sampler::sghmc}) {
    result.push_back({enum_names(sampler)[static_cast<std::size_t>(sampler)], base});
    result.back().options.sampler = sampler;
  }
  result.push_back({"sghmc that explodes now and then", result.back().options});
  result.back().options.schedule.initial = 5;
  result.back().options.temperature = 20;
  result.push_back({"sgld with the test by mhbt", result[2].options});
  result.back().options.mask_test = MaskTest::mhbt;
  result.back().options.schedule.kind = StepSchedule::Kind::cosine;
  return result;
}

struct ChainCase {
  Model model;
  Dataset rows;
  ChainCase() {
    model.architecture = {2, {12, 12}, 1};
    model.width_prior.rows = 90;
    model.width_prior.learn_lambda = true;
    model.weight_prior.learn_scale = true;
    Rng rng(18);
    rows.rows = 90;
    rows.inputs = 2;
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const double a = rng.normal(), b = rng.normal();
      rows.x.push_back(static_cast<float>(a));
      rows.x.push_back(static_cast<float>(b));
      rows.y.push_back(static_cast<float>(std::sin(a) + 0.5 * b + 0.1 * rng.normal()));
    }
  }
};

void expect_same(const Chain& a, const Chain& b) {
  EXPECT_EQ(a.iteration(), b.iteration());
  EXPECT_EQ(a.state().gates, b.state().gates);
  EXPECT_EQ(a.state().weights, b.state().weights);
  EXPECT_EQ(a.state().noise_variance, b.state().noise_variance);
  EXPECT_EQ(a.state().weight_scale, b.state().weight_scale);
  EXPECT_EQ(a.state().lambda, b.state().lambda);
  EXPECT_EQ(a.log_posterior(), b.log_posterior());
  EXPECT_EQ(a.training_error(), b.training_error());
  EXPECT_EQ(a.step_size(), b.step_size());
  EXPECT_EQ(a.sampling_statistics().divergences, b.sampling_statistics().divergences);
  EXPECT_EQ(a.warmup_statistics().gradients, b.warmup_statistics().gradients);
}

// Every iteration of one chain is made by an object that was restored for it.
// Seen to fail: each of metric, velocity, undone iterations, good state and step size left out of what is carried over.
TEST(Chain, IsItsCheckpoint) {
  const ChainCase problem;
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const TrainingData data = TrainingData::make(problem.rows, c.options);
    Chain straight(problem.model, data, c.options, 3, 0);
    straight.start();
    auto bytes = straight.checkpoint();
    while (straight.iteration() < c.options.iterations()) {
      straight.iterate();
      Chain anew(problem.model, data, c.options, 999, 7);
      anew.restore(bytes);
      anew.iterate();
      expect_same(straight, anew);
      bytes = anew.checkpoint();
    }
    const auto accepted = [](const PhaseStatistics& s) { return s.births_accepted[0] + s.deaths_accepted[0]; };
    EXPECT_GT(accepted(straight.sampling_statistics()), 0);
    if (c.options.temperature > 1) {
      EXPECT_GT(straight.warmup_statistics().divergences, 0);  // or the test sees nothing of undone iterations
    }
  }
}

TEST(Chain, RefusesTheBytesOfOtherVersionsAndBytesLeftOver) {
  const ChainCase problem;
  const Case c = cases()[0];
  const TrainingData data = TrainingData::make(problem.rows, c.options);
  Chain chain(problem.model, data, c.options, 3, 0), other(problem.model, data, c.options, 3, 0);
  chain.start();
  auto bytes = chain.checkpoint();
  bytes.push_back(std::byte{0});
  EXPECT_THROW(other.restore(bytes), Error);
  bytes.pop_back();
  bytes[0] ^= std::byte{64};
  EXPECT_THROW(other.restore(bytes), InputError);
  EXPECT_THROW(Chain::check_version(bytes), InputError);
}

// Nothing of a state that is given in place of a warm start is lost.
TEST(Chain, StartsFromAGivenState) {
  const ChainCase problem;
  const Case c = cases()[0];
  const TrainingData data = TrainingData::make(problem.rows, c.options);
  Chain first(problem.model, data, c.options, 3, 0), second(problem.model, data, c.options, 4, 0);
  first.start();
  second.start_from(first.state());
  EXPECT_EQ(second.state().weights, first.state().weights);
  EXPECT_EQ(second.state().gates, first.state().gates);
  second.iterate();
  EXPECT_EQ(second.iteration(), 1);
  EXPECT_TRUE(std::isfinite(second.log_posterior()));
}

// Of 20 iterations of warm-up 14 climb from power 0.1, by equal steps of its logarithm, and what is kept is at power 1.
TEST(Chain, AnnealsInItsWarmUpAndNoLonger) {
  const ChainCase problem;
  ChainOptions options = cases().front().options;
  options.anneal_from = 0.1;
  const TrainingData data = TrainingData::make(problem.rows, options);
  Chain chain(problem.model, data, options, 3, 0);
  chain.start();
  for (std::int64_t i = 0; i < options.iterations(); ++i) {
    chain.iterate();
    const double power = i < 14 ? std::pow(10, static_cast<double>(i) / 14 - 1) : 1;
    EXPECT_NEAR(chain.model().likelihood.power, power, 1e-12) << i;
    EXPECT_EQ(chain.model().width_prior.power, chain.model().likelihood.power);
    EXPECT_EQ(chain.annealed(), i >= 14);
  }
}

// Chains take the start widths in turn, and random numbers of their own: two that begin with the same width differ.
// Seen to fail with the first width for all, and with the random numbers of the first chain.
TEST(Chain, ChainsOfAFitBeginApart) {
  const ChainCase problem;
  ChainOptions options = cases().front().options;
  options.start.widths = {6, 4};
  options.start.steps = 0;
  const TrainingData data = TrainingData::make(problem.rows, options);
  std::vector<State> starts;
  for (std::uint64_t index = 0; index < 4; ++index) {
    Chain chain(problem.model, data, options, 7, index);
    chain.start();
    starts.push_back(chain.state());
    for (const auto& active : starts.back().gates.active) EXPECT_EQ(active.size(), index % 2 == 0 ? 6u : 4u);
  }
  EXPECT_NE(starts[0].weights, starts[2].weights);
  EXPECT_NE(starts[1].weights, starts[3].weights);
}

}  // namespace
}  // namespace mbnn
