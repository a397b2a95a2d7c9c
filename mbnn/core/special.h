// The special functions that densities, intervals and diagnostics share, in double and safe on any thread.
#pragma once

#include <limits>
#include <span>

namespace mbnn {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

double log_gamma(double x);  // for x > 0

// log of the binomial coefficient; minus infinity where the coefficient is zero (k < 0 or k > n). Needs n >= 0.
double log_choose(double n, double k);

// log(sum of exp(x)) without overflow; minus infinity for an empty span, NaN if any entry is NaN.
double log_sum_exp(std::span<const double> values);

// The standard normal law. The lower tail keeps its relative accuracy: for an upper tail use normal_cdf(-x).
double normal_cdf(double x);
double normal_log_pdf(double x);
double normal_log_pdf(double x, double mean, double sd);

// The inverse of normal_cdf: minus and plus infinity at 0 and 1, NaN outside [0, 1].
double normal_quantile(double p);

// -KL of N(m, alpha m^2) to the log-uniform prior, by the approximation of Molchanov, Ashukha and Vetrov (2017),
// eq. 14. It is 0 for a scale that is all noise and falls like log(alpha) / 2 as the scale becomes certain.
double negative_jeffreys_kl(double log_alpha);
double negative_jeffreys_kl_slope(double log_alpha);  // derivative by log_alpha

}  // namespace mbnn
