#include "bench/measures.h"
#include "bench/problem.h"
#include "bench/timing.h"
#include "mbnn/sample/birth_death_moves.h"
#include "mbnn/tables/chain.h"
#include "mbnn/tables/flip_density.h"

namespace mbnn::bench {

// Moves from a state that a chain has reached, in sweeps as a chain makes them. Every sweep starts from the same state
// with the next random numbers; the mean over a round of sweeps is timed, and the fastest round counts.
nlohmann::json moves() {
  Rng rng(3, 0);
  Problem problem(455, 13, {50, 50}, 1000, rng);
  ChainOptions options;
  options.warmup = 300;
  options.start.widths = {30};
  const TrainingData data = TrainingData::make(problem.data, options);
  Chain chain(problem.model, data, options, 3, 0);
  chain.start();
  while (chain.warming_up()) chain.iterate();
  const State trained = chain.state();

  NetworkDensity density(problem.model);
  density.bind(*data.all, trained);
  std::vector<float> gradient(trained.weights.size());
  FlipDensity flips(problem.model);

  constexpr int kSweeps = 100;
  auto mean_seconds = [&](std::size_t max_flips) {
    BirthDeathOptions rules = options.birth_death;
    rules.max_flips = max_flips;
    BirthDeath birth_death(rules);
    double seconds = 0;
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      State state = trained;
      flips.bind(*data.all, state);
      birth_death.forget();
      const double begin = now(Clock::cpu);
      for (std::size_t move = 0; move < options.mask_moves; ++move) birth_death.step(flips, rng);
      seconds += now(Clock::cpu) - begin;
    }
    return seconds / static_cast<double>(kSweeps * options.mask_moves);
  };
  Fastest gradient_time, bind_time;
  double single = std::numeric_limits<double>::infinity(), mixed = single;
  State state = trained;
  for (int round = 0; round < 25; ++round) {
    gradient_time.sample([&] { density.gradient(trained.weights, gradient); });
    bind_time.sample([&] { flips.bind(*data.all, state); }, 0.005);
    single = std::min(single, mean_seconds(1));
    mixed = std::min(mixed, mean_seconds(3));
  }
  return {{"widths", trained.shape(problem.model).widths},
          {"gradient_seconds", gradient_time.seconds()},
          {"bind_seconds", bind_time.seconds()},
          {"single_seconds", single},
          {"three_node_seconds", mixed}};
}

}  // namespace mbnn::bench
