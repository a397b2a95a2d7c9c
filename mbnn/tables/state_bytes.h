// A state as bytes: the form in which draws and checkpoints are stored.
#pragma once

#include "mbnn/core/bytes.h"
#include "mbnn/tables/state.h"

namespace mbnn {

// uint64 number of hidden layers; for each: uint64 width and that many uint32 node numbers;
// uint64 number of weights and that many float32; float64 noise variance, weight scale, lambda.
void write_state(const State& state, ByteWriter& out);
// Throws ContentError for what can be no state of the model.
State read_state(ByteReader& in, const Model& model);
// The same where there may be none yet, which has no weights.
State read_state_or_none(ByteReader& in, const Model& model);

}  // namespace mbnn
