// A start near a mode: random weights, then a short run of Adam towards the maximum of the posterior.
#pragma once

#include "mbnn/core/rng.h"
#include "mbnn/tables/density.h"

namespace mbnn {

struct WarmStartOptions {
  std::size_t width = 40;    // active nodes of each layer at the start, at most the cap
  std::size_t steps = 2000;  // 0: random weights only
  double learning_rate = 0.01;
  std::size_t batch = 512;  // rows of a step when there are more than four times as many
};

// A chain that starts from random weights prunes its nodes before it has learnt what they are for. `all` is used when
// given, mini-batches of `data` otherwise.
State warm_start(const Model& model, const Dataset& data, const Batch* all, const WarmStartOptions& options, Rng& rng);

}  // namespace mbnn
