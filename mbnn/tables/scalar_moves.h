// Gibbs steps of the single numbers of a state: noise variance, scale of the weights' prior, λ.
#pragma once

#include "mbnn/core/rng.h"
#include "mbnn/tables/state.h"

namespace mbnn {

// Given squared errors of so many rows; nothing without noise.
void draw_noise(const Model& model, double squared_errors, double rows, State& state, Rng& rng);
void draw_weight_scale(const Model& model, State& state, Rng& rng);
void draw_lambda(const Model& model, State& state, Rng& rng);

}  // namespace mbnn
