// The moments, density, quantiles and CRPS of a normal mixture, in time linear in the draws wherever that is exact.
#include "mbnn/judge/mixture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "mbnn/core/error.h"
#include "mbnn/core/special.h"

namespace mbnn {
namespace {

using Draws = std::span<const double>;

void require_mixture(Draws mu, Draws sd, Draws weight) {
  require(!mu.empty(), "number of draws", mu.size(), "must be at least 1");
  require(mu.size() == sd.size(), "number of standard deviations", sd.size(), "must equal the number of means");
  require(weight.empty() || mu.size() == weight.size(), "number of weights", weight.size(),
          "must equal the number of means");
  for (double s : sd) require(s > 0 && s < kInfinity, "predictive sd", s, "must be positive and finite");
}

// Equal weights are 1 here: a sum of them has no rounding error, and is divided by their total at its end.
double weight_of(std::size_t t, Draws weight) { return weight.empty() ? 1 : weight[t]; }
double total_of(Draws mu, Draws weight) { return weight.empty() ? static_cast<double>(mu.size()) : 1; }

double average(Draws mu, Draws weight) {
  double sum = 0;
  for (std::size_t t = 0; t < mu.size(); ++t) sum += weight_of(t, weight) * mu[t];
  return sum / total_of(mu, weight);
}

struct TailPoint {
  double mass, density;
};

// The mass below u and the density at u of the mixture (side = 1) or of its mirror image (side = -1). A quantile above
// the median is solved in the mirror, where its tail is a small number known to full relative accuracy.
TailPoint lower_tail(double u, double side, Draws mu, Draws sd, Draws weight) {
  double mass = 0, density = 0;
  for (std::size_t t = 0; t < mu.size(); ++t) {
    const double z = (u - side * mu[t]) / sd[t];
    const double share = weight_of(t, weight);
    mass += share * normal_cdf(z);
    density += share * std::exp(normal_log_pdf(z)) / sd[t];
  }
  const double total = total_of(mu, weight);
  return {mass / total, density / total};
}

// E|Z| for Z ~ N(mean, sd^2).
double expected_absolute(double mean, double sd) {
  const double z = mean / sd;
  return 2 * sd * std::exp(normal_log_pdf(z)) + mean * std::erf(z / std::numbers::sqrt2);
}

// E|X - X'| for two independent draws of the mixture, over all pairs (Grimit et al. 2006).
double expected_gap_by_pairs(Draws mu, Draws sd, Draws weight) {
  double diagonal = 0, above = 0;
  for (std::size_t i = 0; i < mu.size(); ++i) {
    const double share = weight_of(i, weight);
    diagonal += share * share * expected_absolute(0, std::numbers::sqrt2 * sd[i]);
    double row = 0;
    for (std::size_t j = i + 1; j < mu.size(); ++j)
      row += weight_of(j, weight) * expected_absolute(mu[i] - mu[j], std::sqrt(sd[i] * sd[i] + sd[j] * sd[j]));
    above += share * row;
  }
  const double total = total_of(mu, weight);
  return (diagonal + 2 * above) / (total * total);
}

constexpr double kReach = 6;  // in sd: what lies beyond is 2e-9 of a normal

// The same number as 2 * integral of F (1 - F) by the trapezoid rule at step * 0, 1, ..., nodes - 1 from low. A normal
// is evaluated within its reach only, and counts as 1 above it.
double expected_gap_by_trapezoid(double low, double step, std::size_t nodes, Draws mu, Draws sd, Draws weight) {
  std::vector<double> part(nodes), whole(nodes + 1);
  for (std::size_t t = 0; t < mu.size(); ++t) {
    const double share = weight_of(t, weight);
    const double first = std::ceil((mu[t] - kReach * sd[t] - low) / step), last = (mu[t] + kReach * sd[t] - low) / step;
    std::size_t node = static_cast<std::size_t>(std::max(first, 0.0));
    for (; node < nodes && static_cast<double>(node) <= last; ++node)
      part[node] += share * normal_cdf((low + step * static_cast<double>(node) - mu[t]) / sd[t]);
    whole[node] += share;
  }
  const double total = total_of(mu, weight);
  double sum = 0, passed = 0;
  for (std::size_t node = 0; node < nodes; ++node) {
    passed += whole[node];
    const double below = (passed + part[node]) / total;
    sum += below * (1 - below);
  }
  return 2 * step * sum;
}

// The Fourier transform of F (1 - F) falls like exp(-s^2 w^2 / 4), s the smallest sd, so a trapezoid rule of step h is
// off by a relative exp(-(pi s / h)^2): 2e-9 at the step below. What lies beyond the reach is 2e-10 sd. A normal much
// wider than the narrowest needs many nodes; the pairs cost T^2 / 2 and win there and for few draws.
double expected_gap(Draws mu, Draws sd, Draws weight) {
  constexpr double step_in_sd = 0.7;
  double low = kInfinity, high = -kInfinity, smallest = kInfinity, sum = 0;
  for (std::size_t t = 0; t < mu.size(); ++t) {
    low = std::min(low, mu[t] - kReach * sd[t]);
    high = std::max(high, mu[t] + kReach * sd[t]);
    smallest = std::min(smallest, sd[t]);
    sum += sd[t];
  }
  const double step = step_in_sd * smallest;
  const double nodes = std::ceil((high - low) / step) + 1;
  const double evaluations = nodes + 2 * kReach * sum / step, draws = static_cast<double>(mu.size());
  if (evaluations < 0.5 * draws * draws)
    return expected_gap_by_trapezoid(low, step, static_cast<std::size_t>(nodes), mu, sd, weight);
  return expected_gap_by_pairs(mu, sd, weight);
}

}  // namespace

double mixture_mean(Draws mu, Draws sd, Draws weight) {
  require_mixture(mu, sd, weight);
  return average(mu, weight);
}

double mixture_sd(Draws mu, Draws sd, Draws weight) {
  require_mixture(mu, sd, weight);
  const double mean = average(mu, weight);
  double sum = 0;
  for (std::size_t t = 0; t < mu.size(); ++t)
    sum += weight_of(t, weight) * ((mu[t] - mean) * (mu[t] - mean) + sd[t] * sd[t]);
  return std::sqrt(sum / total_of(mu, weight));
}

double mixture_log_density(double y, Draws mu, Draws sd, Draws weight) {
  require_mixture(mu, sd, weight);
  std::vector<double> terms(mu.size());
  for (std::size_t t = 0; t < mu.size(); ++t)
    terms[t] = std::log(weight_of(t, weight)) + normal_log_pdf(y, mu[t], sd[t]);
  return log_sum_exp(terms) - std::log(total_of(mu, weight));
}

double mixture_cdf(double y, Draws mu, Draws sd, Draws weight) {
  require_mixture(mu, sd, weight);
  double sum = 0;
  for (std::size_t t = 0; t < mu.size(); ++t) sum += weight_of(t, weight) * normal_cdf((y - mu[t]) / sd[t]);
  return sum / total_of(mu, weight);
}

double mixture_quantile(double p, Draws mu, Draws sd, Draws weight) {
  require(p > 0 && p < 1, "p", p, "must lie between 0 and 1, both excluded");
  const double scale = mixture_sd(mu, sd, weight);
  if (!std::isfinite(scale)) return std::numeric_limits<double>::quiet_NaN();

  const double side = p <= 0.5 ? 1 : -1;
  const double target = std::min(p, 1 - p);
  const double target_score = normal_quantile(target);

  // The quantile of a mixture lies between the smallest and the largest quantile of its parts.
  double low = kInfinity, high = -kInfinity;
  for (std::size_t t = 0; t < mu.size(); ++t) {
    const double part = side * mu[t] + target_score * sd[t];
    low = std::min(low, part);
    high = std::max(high, part);
  }

  // Newton on the normal score of the mass, which is a straight line for one normal and nearly so for most predictive
  // laws. A step that leaves the bracket, is NaN (no mass, no density) or is not half the last one becomes a bisection.
  const double tolerance = 1e-10 * scale;
  double u = std::clamp(side * average(mu, weight) + target_score * scale, low, high);
  double last_step = high - low;
  while (high - low > tolerance) {
    const auto [mass, density] = lower_tail(u, side, mu, sd, weight);
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

double mixture_crps(double y, Draws mu, Draws sd, Draws weight) {
  require_mixture(mu, sd, weight);
  double distance = 0;
  for (std::size_t t = 0; t < mu.size(); ++t) distance += weight_of(t, weight) * expected_absolute(y - mu[t], sd[t]);
  if (!std::isfinite(distance)) return distance;  // the pair term has no finite range to be integrated over
  return distance / total_of(mu, weight) - 0.5 * expected_gap(mu, sd, weight);
}

}  // namespace mbnn
