// The predictive law of one row in regression: a mixture of T normals N(mu_t, sd_t^2).
#pragma once

#include <span>

namespace mbnn {

// Every function takes the T means, the T standard deviations and T weights that sum to 1 (none: equal ones). Different
// lengths, no draws at all and an sd that is not positive are errors; a mean that is NaN is numerical trouble and makes
// the answer NaN.

double mixture_mean(std::span<const double> mu, std::span<const double> sd, std::span<const double> weight = {});
double mixture_sd(std::span<const double> mu, std::span<const double> sd, std::span<const double> weight = {});

double mixture_log_density(double y, std::span<const double> mu, std::span<const double> sd,
                           std::span<const double> weight = {});
double mixture_cdf(double y, std::span<const double> mu, std::span<const double> sd,
                   std::span<const double> weight = {});

// The y with mixture_cdf(y) = p, 0 < p < 1, to 1e-10 of the mixture's sd. Where the mixture leaves a gap with no mass
// and p falls into it, any point of the gap may come back.
double mixture_quantile(double p, std::span<const double> mu, std::span<const double> sd,
                        std::span<const double> weight = {});

// The continuous ranked probability score E|X - y| - E|X - X'| / 2 (smaller is better, in units of y), to better than
// 1e-8 of E|X - X'|.
double mixture_crps(double y, std::span<const double> mu, std::span<const double> sd,
                    std::span<const double> weight = {});

}  // namespace mbnn
