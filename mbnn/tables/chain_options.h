// How a chain is run: which weight sampler, how long, how often the masks move.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mbnn/sample/move_options.h"

namespace mbnn {

enum class Sampler { hmc, nuts, sgld, sghmc };
constexpr auto enum_names(Sampler) { return std::array{"hmc", "nuts", "sgld", "sghmc"}; }

struct WarmStartOptions {
  // Active nodes of each layer at the start, at most the cap: chains take these in turn. Chains that start alike and
  // do not mix agree on what is wrong.
  std::vector<std::size_t> widths{40};
  std::size_t steps = 2000;  // 0: random weights only
  double learning_rate = 0.01;
  std::size_t batch = 512;  // rows of a step when there are more than four times as many

  std::size_t width_of(std::size_t chain) const { return widths[chain % widths.size()]; }
};

struct ChainOptions {
  Sampler sampler = Sampler::hmc;
  std::int64_t warmup = 1000, draws = 100, thin = 5;  // in iterations; thin iterations lie between two kept draws
  WarmStartOptions start;

  std::size_t leapfrog_steps = 100;  // hmc
  std::size_t max_depth = 8;         // nuts
  double target_accept = 0.9;        // hmc and nuts
  double initial_step = 0.1;         // hmc and nuts: where the adaptation starts; kept if there is no warm-up

  std::size_t batch = 128;   // sgld and sghmc: rows of a mini-batch
  std::size_t batches = 50;  // ... and mini-batches of an iteration
  StepSchedule schedule;
  double friction = 0.05;  // sghmc
  double temperature = 1;

  BirthDeathOptions birth_death;
  std::int64_t mask_every = 1;       // iterations between two sweeps over the masks
  std::size_t mask_moves = 20;       // moves of a sweep: Algorithm 1 of the paper
  std::size_t refit_moves = 20;      // ... and refitting ones after them (hmc and nuts)
  std::size_t refit_candidates = 1;  // that a refitting birth chooses from

  MaskTest mask_test = MaskTest::plain;  // sgld and sghmc

  double anneal_from = 1;  // the warm-up begins with the posterior to this power; 1: with itself (hmc and nuts)
  std::size_t rungs = 1;   // of a ladder of chains at rising temperatures that exchange their states (hmc and nuts)
  double swap_rate = 0.4;  // ... whose spacing aims at this share of exchanges

  bool stochastic() const { return sampler == Sampler::sgld || sampler == Sampler::sghmc; }
  std::int64_t iterations() const { return warmup + draws * thin; }
};

}  // namespace mbnn
