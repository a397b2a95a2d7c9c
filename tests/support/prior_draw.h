// A whole state and its data drawn from the model: what calibration tests and simulations start from.
#pragma once

#include "mbnn/core/rng.h"
#include "mbnn/net/dense/dataset.h"
#include "mbnn/tables/state.h"

namespace mbnn {

State draw_prior_state(const Model& model, Rng& rng);
// Fills the targets of `data` given its inputs.
void draw_targets(const Model& model, const State& state, Dataset& data, Rng& rng);

}  // namespace mbnn
