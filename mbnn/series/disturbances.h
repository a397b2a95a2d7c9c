// Draws of the disturbances' variances and of r, given a path of states.
#pragma once

#include <functional>
#include <span>

#include "mbnn/series/state_space.h"

namespace mbnn {

// Each given the path and, where it matters, the others: level, slope and season variances, that of the events given
// their effects, then r.
void draw_parameters(const SeriesOptions& options, std::span<const double> path, SeriesParameters& parameters,
                     Rng& rng);

// The same and the noise, with the path integrated out: slice steps on the logs of the variances and on r, given the
// log-likelihood of the parameters. They cross in one step what the draws given a path take hundreds for: a path holds
// its own variances in place.
void slice_parameters(const SeriesOptions& options, const NoisePrior& noise,
                      const std::function<double(const SeriesParameters&)>& log_likelihood,
                      SeriesParameters& parameters, Rng& rng);

double log_prior(const SeriesOptions& options, const SeriesParameters& parameters);  // without that of the noise

// From the prior; for calibration and simulations.
SeriesParameters draw_prior_parameters(const SeriesOptions& options, const NoisePrior& noise, Rng& rng);

}  // namespace mbnn
