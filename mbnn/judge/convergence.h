// Whether the chains of one scalar quantity agree, and how many independent draws they are worth.
#pragma once

#include <span>
#include <vector>

namespace mbnn {

// Vehtari, Gelman, Simpson, Carpenter and Buerkner (2021), Bayesian Analysis 16(2), as in ArviZ and Stan's posterior.
struct Convergence {
  double rhat;       // the larger of rank-normalised split R-hat and the same of |x - median|; 1.01 is the usual limit
  double ess_bulk;   // of the rank-normalised draws
  double ess_tail;   // the smaller of those of the indicators of the 5% and the 95% quantile
  double mcse_mean;  // sd / sqrt(ESS of the draws themselves)
  double mean, sd;   // of all draws pooled
};

// Chains of different lengths are cut to the shortest; an odd chain loses its middle draw where it is split.
//
// What cannot be said is NaN, never a number that looks like convergence:
// - fewer than four draws a chain, or a draw that is not finite: everything but mean and sd;
// - all draws equal: rhat, both ESS and the MCSE. ArviZ says ESS = draws, which a frozen sampler passes;
// - a tail indicator that never changes (a discrete quantity, most mass at its end) leaves ess_tail to the other one.
// Chains that each stand still, at different values, have rhat = infinity.
Convergence convergence(std::span<const std::vector<double>> chains);

}  // namespace mbnn
