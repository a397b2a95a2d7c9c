// Mini-batch chains: they move, they undo what left all bounds, and they give up when nothing helps.
#include <gtest/gtest.h>

#include <cmath>

#include "mbnn/core/error.h"
#include "mbnn/tables/chain.h"

namespace mbnn {
namespace {

struct BatchCase {
  Model model;
  Dataset data;
  BatchCase() {
    model.architecture = {2, {20, 20}, 1};
    model.width_prior.rows = 120;
    Rng rng(8);
    data.rows = 120;
    data.inputs = 2;
    for (std::size_t i = 0; i < data.rows; ++i) {
      const double a = rng.normal(), b = rng.normal();
      data.x.push_back(static_cast<float>(a));
      data.x.push_back(static_cast<float>(b));
      data.y.push_back(static_cast<float>(std::sin(a) + 0.5 * b + 0.1 * rng.normal()));
    }
  }
};

ChainOptions options(Sampler sampler, double step) {
  ChainOptions o;
  o.sampler = sampler;
  o.schedule.initial = step;
  o.warmup = 60;
  o.draws = 40;
  o.thin = 1;
  o.batch = 32;
  o.batches = 10;
  o.start.widths = {8};
  o.start.steps = 200;
  o.mask_moves = 0;
  return o;
}

// Caught when broken: masses learnt from an iteration that was undone froze the weights for good.
TEST(StochasticChain, NeverFreezesWhateverTheStep) {
  for (const Sampler sampler : {Sampler::sgld, Sampler::sghmc})
    for (const double step : {0.03, 0.1, 0.3, 1.0, 3.0}) {
      SCOPED_TRACE(std::string(sampler == Sampler::sgld ? "sgld " : "sghmc ") + std::to_string(step));
      const BatchCase problem;
      const ChainOptions o = options(sampler, step);
      const TrainingData data = TrainingData::make(problem.data, o);
      Chain chain(problem.model, data, o, 3, 0);
      try {
        chain.start();
        while (chain.warming_up()) chain.iterate();
        const auto before = chain.state().weights;
        while (chain.iteration() < o.iterations()) {
          chain.iterate();
          EXPECT_TRUE(std::isfinite(chain.training_error()));
        }
        std::size_t moved = 0;
        for (std::size_t i = 0; i < before.size(); ++i) moved += std::abs(before[i] - chain.state().weights[i]) > 1e-4f;
        EXPECT_GT(moved, before.size() / 2);
      } catch (const SamplerError& e) {
        EXPECT_GE(step, 0.3) << e.what();  // giving up is for steps that are far too long
      }
    }
}

TEST(StochasticChain, FitsAtTheDefaultStep) {
  for (const Sampler sampler : {Sampler::sgld, Sampler::sghmc}) {
    const BatchCase problem;
    const ChainOptions o = options(sampler, StepSchedule().initial);
    const TrainingData data = TrainingData::make(problem.data, o);
    Chain chain(problem.model, data, o, 3, 0);
    chain.start();
    while (chain.iteration() < o.iterations()) chain.iterate();
    EXPECT_LT(chain.training_error(), 0.3);  // the noise is 0.1, the spread of the target above 0.8
    EXPECT_LT(std::sqrt(chain.state().noise_variance), 0.3);
  }
}

}  // namespace
}  // namespace mbnn
