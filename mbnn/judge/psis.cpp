#include "mbnn/judge/psis.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mbnn/core/error.h"
#include "mbnn/core/special.h"

namespace mbnn {

namespace {

constexpr std::size_t kFewestTail = 5;

// Of the profile likelihood in theta = -k / sigma: the k that goes with it.
double k_of(double theta, std::span<const double> x) {
  double sum = 0;
  for (const double value : x) sum += std::log1p(-theta * value);
  return sum / static_cast<double>(x.size());
}

}  // namespace

double ParetoLaw::quantile(double p) const {
  const double log_rest = std::log1p(-p);
  return k == 0 ? -sigma * log_rest : sigma * std::expm1(-k * log_rest) / k;
}

// The mean of theta over a grid, weighed by the profile likelihood; the grid is a prior that the data give.
ParetoLaw fit_pareto(std::span<const double> x) {
  require(x.size() >= kFewestTail, "values of a tail", x.size(), "must be at least 5");
  const double n = static_cast<double>(x.size());
  const std::size_t grid = 30 + static_cast<std::size_t>(std::sqrt(n));
  const double quartile = x[static_cast<std::size_t>(n / 4 + 0.5) - 1];
  std::vector<double> theta(grid), log_profile(grid);
  for (std::size_t j = 0; j < grid; ++j) {
    theta[j] =
        1 / x.back() + (1 - std::sqrt(static_cast<double>(grid) / (static_cast<double>(j) + 0.5))) / (3 * quartile);
    const double k = k_of(theta[j], x);
    log_profile[j] = n * (std::log(-theta[j] / k) - k - 1);
  }
  const double total = log_sum_exp(log_profile);
  double mean = 0;
  for (std::size_t j = 0; j < grid; ++j) mean += theta[j] * std::exp(log_profile[j] - total);
  const double k = k_of(mean, x);
  return {k, -k / mean};
}

SmoothedWeights smoothed_weights(std::span<const double> log_ratios) {
  require(!log_ratios.empty(), "number of ratios", log_ratios.size(), "must be at least 1");
  const std::size_t draws = log_ratios.size();
  const double largest = *std::ranges::max_element(log_ratios), count = static_cast<double>(draws);
  SmoothedWeights result{{log_ratios.begin(), log_ratios.end()}, kInfinity};
  auto& weights = result.log_weights;
  for (double& w : weights) w -= largest;
  const auto tail = static_cast<std::size_t>(std::ceil(std::min(0.2 * count, 3 * std::sqrt(count))));
  if (tail >= kFewestTail && std::isfinite(largest)) {
    std::vector<std::size_t> order(draws);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return weights[i]; });
    const double cutoff = std::exp(weights[order[draws - tail - 1]]);
    std::vector<double> above(tail);
    for (std::size_t i = 0; i < tail; ++i) above[i] = std::exp(weights[order[draws - tail + i]]) - cutoff;
    const std::size_t quartile = static_cast<std::size_t>(static_cast<double>(tail) / 4 + 0.5) - 1;
    if (above[quartile] <= 0) {  // no tail: the ratios are all but equal, or stand in heaps
      result.k = above.back() <= 1e-12 * (cutoff + above.back()) ? 0 : kInfinity;
    } else {
      ParetoLaw law = fit_pareto(above);
      const double n = static_cast<double>(tail);
      result.k = law.k = (n * law.k + 10 * 0.5) / (n + 10);
      for (std::size_t i = 0; i < tail; ++i) {
        const double smooth = cutoff + law.quantile((static_cast<double>(i) + 0.5) / n);
        weights[order[draws - tail + i]] = std::min(0.0, std::log(smooth));
      }
    }
  }
  const double total = log_sum_exp(weights);
  for (double& w : weights) w -= total;
  return result;
}

double pareto_k_limit(std::size_t draws) {
  return draws < 2 ? 0 : std::clamp(1 - 1 / std::log10(static_cast<double>(draws)), 0.0, 0.7);
}

LeaveOneOutSum::Row LeaveOneOutSum::row(std::span<const double> log_likelihood, std::span<const double> log_density) {
  require(log_density.size() == log_likelihood.size(), "densities", log_density.size(), "must be one a draw");
  std::vector<double> ratios(log_likelihood.begin(), log_likelihood.end());
  for (double& ratio : ratios) ratio = -ratio;
  SmoothedWeights weights = smoothed_weights(ratios);
  for (std::size_t i = 0; i < ratios.size(); ++i) weights.log_weights[i] += log_density[i];
  return {log_sum_exp(weights.log_weights),
          log_sum_exp(log_density) - std::log(static_cast<double>(log_density.size())), weights.k};
}

void LeaveOneOutSum::add(const Row& row) { rows_.push_back(row); }

LeaveOneOut LeaveOneOutSum::result() const {
  LeaveOneOut result{.rows = rows_.size(), .draws = draws_, .k_limit = pareto_k_limit(draws_)};
  const double n = static_cast<double>(rows_.size());
  for (const Row& row : rows_) {
    result.elpd += row.elpd;
    result.p_eff += row.lpd - row.elpd;
    result.k_max = std::max(result.k_max, row.k);
    result.k_above_limit += !(row.k <= result.k_limit);
    result.k_above_07 += !(row.k <= 0.7);
  }
  double squares = 0;
  for (const Row& row : rows_) squares += (row.elpd - result.elpd / n) * (row.elpd - result.elpd / n);
  result.se = std::sqrt(n * squares / (n - 1));
  return result;
}

}  // namespace mbnn
