// A start near a mode: random weights, then a short run of Adam towards the maximum of the posterior.
#pragma once

#include "mbnn/core/rng.h"
#include "mbnn/net/dense/batch.h"
#include "mbnn/tables/chain_options.h"
#include "mbnn/tables/state.h"

namespace mbnn {

// A chain that starts from random weights prunes its nodes before it has learnt what they are for. `all` is used when
// given, mini-batches of `data` otherwise. `width` is that of each layer, at most its cap.
State warm_start(const Model& model, const Dataset& data, const Batch* all, std::size_t width,
                 const WarmStartOptions& options, Rng& rng);

}  // namespace mbnn
