// The moments, density, quantiles and CRPS of a normal mixture, in time linear in the draws wherever that is exact.
#include "mbnn/predict/mixture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "mbnn/core/error.h"
#include "mbnn/core/special.h"

namespace mbnn {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
using Draws = std::span<const double>;

void require_mixture(Draws mu, Draws sd) {
  require(!mu.empty(), "number of draws", mu.size(), "must be at least 1");
  require(mu.size() == sd.size(), "number of standard deviations", sd.size(), "must equal the number of means");
  for (double s : sd) require(s > 0 && s < infinity, "predictive sd", s, "must be positive and finite");
}

double average(Draws values) {
  double sum = 0;
  for (double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

struct TailPoint {
  double mass, density;
};

// The mass below u and the density at u of the mixture (side = 1) or of its mirror image (side = -1). A quantile above
// the median is solved in the mirror, where its tail is a small number known to full relative accuracy.
TailPoint lower_tail(double u, double side, Draws mu, Draws sd) {
  double mass = 0, density = 0;
  for (std::size_t t = 0; t < mu.size(); ++t) {
    const double z = (u - side * mu[t]) / sd[t];
    mass += normal_cdf(z);
    density += std::exp(normal_log_pdf(z)) / sd[t];
  }
  const double draws = static_cast<double>(mu.size());
  return {mass / draws, density / draws};
}

// E|Z| for Z ~ N(mean, sd^2).
double expected_absolute(double mean, double sd) {
  const double z = mean / sd;
  return 2 * sd * std::exp(normal_log_pdf(z)) + mean * std::erf(z / std::numbers::sqrt2);
}

// E|X - X'| for two independent draws of the mixture, over all pairs (Grimit et al. 2006).
double expected_gap_by_pairs(Draws mu, Draws sd) {
  double diagonal = 0, above = 0;
  for (std::size_t i = 0; i < mu.size(); ++i) {
    diagonal += expected_absolute(0, std::numbers::sqrt2 * sd[i]);
    for (std::size_t j = i + 1; j < mu.size(); ++j)
      above += expected_absolute(mu[i] - mu[j], std::sqrt(sd[i] * sd[i] + sd[j] * sd[j]));
  }
  const double draws = static_cast<double>(mu.size());
  return (diagonal + 2 * above) / (draws * draws);
}

// The same number as 2 * integral of F (1 - F) by the trapezoid rule at step * 0, 1, ..., nodes - 1 from low.
double expected_gap_by_trapezoid(double low, double step, std::size_t nodes, Draws mu, Draws sd) {
  double sum = 0;
  for (std::size_t node = 0; node < nodes; ++node) {
    const double below = mixture_cdf(low + step * static_cast<double>(node), mu, sd);
    sum += below * (1 - below);
  }
  return 2 * step * sum;
}

// The Fourier transform of F (1 - F) falls like exp(-s^2 w^2 / 4), s the smallest sd, so a trapezoid rule of step h is
// off by a relative exp(-(pi s / h)^2): 2e-9 at the step below. What lies beyond the reach is 2e-10 sd. Narrow normals
// far apart need many nodes, at T operations each; the pairs cost T^2 / 2 and win there and for few draws.
double expected_gap(Draws mu, Draws sd) {
  constexpr double reach = 6, step_in_sd = 0.7;
  double low = infinity, high = -infinity, smallest = infinity;
  for (std::size_t t = 0; t < mu.size(); ++t) {
    low = std::min(low, mu[t] - reach * sd[t]);
    high = std::max(high, mu[t] + reach * sd[t]);
    smallest = std::min(smallest, sd[t]);
  }
  const double step = step_in_sd * smallest;
  const double nodes = std::ceil((high - low) / step) + 1;
  if (nodes < 0.5 * static_cast<double>(mu.size()))
    return expected_gap_by_trapezoid(low, step, static_cast<std::size_t>(nodes), mu, sd);
  return expected_gap_by_pairs(mu, sd);
}

}  // namespace

double mixture_mean(Draws mu, Draws sd) {
  require_mixture(mu, sd);
  return average(mu);
}

double mixture_sd(Draws mu, Draws sd) {
  require_mixture(mu, sd);
  const double mean = average(mu);
  double sum = 0;
  for (std::size_t t = 0; t < mu.size(); ++t) sum += (mu[t] - mean) * (mu[t] - mean) + sd[t] * sd[t];
  return std::sqrt(sum / static_cast<double>(mu.size()));
}

double mixture_log_density(double y, Draws mu, Draws sd) {
  require_mixture(mu, sd);
  std::vector<double> terms(mu.size());
  for (std::size_t t = 0; t < mu.size(); ++t) terms[t] = normal_log_pdf(y, mu[t], sd[t]);
  return log_sum_exp(terms) - std::log(static_cast<double>(mu.size()));
}

double mixture_cdf(double y, Draws mu, Draws sd) {
  require_mixture(mu, sd);
  double sum = 0;
  for (std::size_t t = 0; t < mu.size(); ++t) sum += normal_cdf((y - mu[t]) / sd[t]);
  return sum / static_cast<double>(mu.size());
}

double mixture_quantile(double p, Draws mu, Draws sd) {
  require(p > 0 && p < 1, "p", p, "must lie between 0 and 1, both excluded");
  const double scale = mixture_sd(mu, sd);
  if (!std::isfinite(scale)) return std::numeric_limits<double>::quiet_NaN();

  const double side = p <= 0.5 ? 1 : -1;
  const double target = std::min(p, 1 - p);
  const double target_score = normal_quantile(target);

  // The quantile of a mixture lies between the smallest and the largest quantile of its parts.
  double low = infinity, high = -infinity;
  for (std::size_t t = 0; t < mu.size(); ++t) {
    const double part = side * mu[t] + target_score * sd[t];
    low = std::min(low, part);
    high = std::max(high, part);
  }

  // Newton on the normal score of the mass, which is a straight line for one normal and nearly so for most predictive
  // laws. A step that leaves the bracket, is NaN (no mass, no density) or is not half the last one becomes a bisection.
  const double tolerance = 1e-10 * scale;
  double u = std::clamp(side * average(mu) + target_score * scale, low, high);
  double last_step = high - low;
  while (high - low > tolerance) {
    const auto [mass, density] = lower_tail(u, side, mu, sd);
    (mass < target ? low : high) = u;
    const double score = normal_quantile(mass);
    double next = u - (score - target_score) * std::exp(normal_log_pdf(score)) / density;
    const bool newton = next >= low && next <= high && std::abs(next - u) <= 0.5 * last_step;
    if (!newton) next = low + 0.5 * (high - low);
    last_step = std::abs(next - u);
    u = next;
    if (last_step <= tolerance) return side * u;
  }
  return side * u;
}

double mixture_crps(double y, Draws mu, Draws sd) {
  require_mixture(mu, sd);
  double distance = 0;
  for (std::size_t t = 0; t < mu.size(); ++t) distance += expected_absolute(y - mu[t], sd[t]);
  if (!std::isfinite(distance)) return distance;  // the pair term has no finite range to be integrated over
  return distance / static_cast<double>(mu.size()) - 0.5 * expected_gap(mu, sd);
}

}  // namespace mbnn
