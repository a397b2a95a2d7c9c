#include "mbnn/judge/reliability.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mbnn/core/error.h"
#include "mbnn/core/special.h"

namespace mbnn {

double kolmogorov_p(double distance, std::size_t n) {
  if (n == 0 || std::isnan(distance)) return std::numeric_limits<double>::quiet_NaN();
  const double root = std::sqrt(static_cast<double>(n));
  const double x = (root + 0.12 + 0.11 / root) * distance;
  if (x < 0.2) return 1;  // where the series needs many terms and 1 is right to 1e-12
  double sum = 0;
  for (int k = 1; k <= 100; ++k) {
    const double term = std::exp(-2.0 * k * k * x * x);
    sum += k % 2 == 1 ? term : -term;
    if (term < 1e-16) break;
  }
  return std::clamp(2 * sum, 0.0, 1.0);
}

PitSummary pit_summary(std::vector<double> probabilities) {
  PitSummary summary;
  std::erase_if(probabilities, [](double p) { return std::isnan(p); });
  std::sort(probabilities.begin(), probabilities.end());
  const auto n = static_cast<double>(probabilities.size());
  double before = 0;
  for (const double p : probabilities) {
    ++summary.counts[static_cast<std::size_t>(std::clamp(10 * p, 0.0, 9.0))];
    summary.distance = std::max({summary.distance, p - before / n, (before + 1) / n - p});
    ++before;
  }
  summary.p = kolmogorov_p(summary.distance, probabilities.size());
  return summary;
}

Range binomial_range(std::size_t n, double success, double probability) {
  require(n > 0, "trials", n, "must be at least 1");
  require(success > 0 && success < 1, "probability of success", success, "must lie between 0 and 1, both excluded");
  const double tail = (1 - probability) / 2, trials = static_cast<double>(n);
  Range range{-1, 1};
  double below = 0;
  for (std::size_t k = 0; k <= n; ++k) {
    const double count = static_cast<double>(k);
    below += std::exp(log_choose(trials, count) + count * std::log(success) + (trials - count) * std::log1p(-success));
    if (range.low < 0 && below > tail) range.low = count / trials;
    if (below >= 1 - tail) {
      range.high = count / trials;
      break;
    }
  }
  return range;
}

std::vector<CoveragePart> coverage_by_prediction(std::vector<CoveredRow> rows, double level, std::size_t parts) {
  std::erase_if(rows, [](const CoveredRow& row) { return std::isnan(row.prediction); });
  std::ranges::stable_sort(rows, {}, &CoveredRow::prediction);

  parts = std::min(parts, rows.size());
  std::vector<CoveragePart> result;
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t begin = rows.size() * i / parts, end = rows.size() * (i + 1) / parts;
    const auto inside = std::count_if(rows.begin() + static_cast<std::ptrdiff_t>(begin),
                                      rows.begin() + static_cast<std::ptrdiff_t>(end),
                                      [](const CoveredRow& row) { return row.inside; });
    const std::size_t n = end - begin;
    result.push_back({rows[begin].prediction, rows[end - 1].prediction, n,
                      static_cast<double>(inside) / static_cast<double>(n), binomial_range(n, level, 0.99)});
  }
  return result;
}

}  // namespace mbnn
