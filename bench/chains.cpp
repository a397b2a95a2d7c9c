#include <sys/resource.h>

#include <thread>

#include "bench/measures.h"
#include "bench/problem.h"
#include "bench/timing.h"
#include "mbnn/sample/birth_death_moves.h"
#include "mbnn/tables/chain.h"
#include "mbnn/tables/flip_density.h"

namespace mbnn::bench {

namespace {

ChainOptions short_run() {
  ChainOptions options;
  options.warmup = 15;
  options.draws = 5;
  options.thin = 1;
  options.start.steps = 50;
  return options;
}

// Wall-clock seconds of `chains` chains on as many threads. All have the same seed, so each does the same work.
double run_seconds(const Problem& problem, const TrainingData& data, const ChainOptions& options, std::size_t chains) {
  std::vector<std::unique_ptr<Chain>> all;
  for (std::size_t i = 0; i < chains; ++i) all.push_back(std::make_unique<Chain>(problem.model, data, options, 4, 0));
  const double begin = now(Clock::wall);
  {
    std::vector<std::jthread> threads;
    for (auto& chain : all)
      threads.emplace_back([&] {
        chain->start();
        while (chain->iteration() < options.iterations()) chain->iterate();
      });
  }
  return now(Clock::wall) - begin;
}

}  // namespace

nlohmann::json threads() {
  Rng rng(4, 0);
  const Problem problem(455, 13, {50, 50}, 1000, rng);
  const ChainOptions options = short_run();
  const TrainingData data = TrainingData::make(problem.data, options);
  double one = std::numeric_limits<double>::infinity(), two = one;
  for (int round = 0; round < 40; ++round) {
    one = std::min(one, run_seconds(problem, data, options, 1));
    two = std::min(two, run_seconds(problem, data, options, 2));
  }
  return {{"one_seconds", one}, {"two_seconds", two}, {"speedup", 2 * one / two}};
}

nlohmann::json cap(std::size_t p) {
  Rng rng(5, 0);
  const Problem problem(455, 13, {30, 30}, p, rng);
  const ChainOptions options = short_run();
  const TrainingData data = TrainingData::make(problem.data, options);
  Fastest fastest;
  NetworkDensity density(problem.model);
  FlipDensity flips(problem.model);
  BirthDeath birth_death(options.birth_death);
  std::vector<float> gradient(problem.state.weights.size());
  density.bind(*data.all, problem.state);
  // The gradients of one iteration and one sweep over the masks, from the same state with the same random numbers.
  fastest.sample(
      [&] {
        for (std::size_t i = 0; i < options.leapfrog_steps; ++i) density.gradient(problem.state.weights, gradient);
        State state = problem.state;
        flips.bind(*data.all, state);
        birth_death.forget();
        Rng same(6, 0);
        for (std::size_t i = 0; i < options.mask_moves; ++i) birth_death.step(flips, same);
      },
      1.0);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {{"cap", p}, {"seconds", fastest.seconds()}, {"kilobytes", usage.ru_maxrss}};
}

}  // namespace mbnn::bench
