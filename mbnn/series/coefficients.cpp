#include "mbnn/series/coefficients.h"

#include <cmath>
#include <numeric>

#include "mbnn/core/cholesky.h"

namespace mbnn {

namespace {

// Innovations in units of their standard deviation: independent over time, 0 where nothing is observed.
std::vector<double> whitened(const Gains& gains, Series series) {
  std::vector<double> v = gains.innovations(series);
  for (std::size_t t = 0; t < v.size(); ++t)
    if (gains.observed(t)) v[t] /= std::sqrt(gains.variance(t));
  return v;
}

double inner(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

// Generalised least squares by the filter.
std::vector<double> draw_coefficients(const Gains& gains, Series y, const std::vector<std::vector<double>>& columns,
                                      std::span<const double> precisions, Rng& rng) {
  const std::size_t count = columns.size();
  const std::vector<double> v = whitened(gains, y);
  std::vector<std::vector<double>> w;
  for (const auto& column : columns) w.push_back(whitened(gains, column));
  std::vector<double> precision(count * count), b(count);
  for (std::size_t i = 0; i < count; ++i) {
    b[i] = inner(w[i], v);
    for (std::size_t j = 0; j <= i; ++j) precision[i * count + j] = inner(w[i], w[j]);
    precision[i * count + i] += precisions[i];
  }
  const Cholesky factor(std::move(precision), count);
  if (!factor.ok()) return {};
  b = factor.solve_lower(b);
  for (double& value : b) value += rng.normal();
  return factor.solve_upper(b);
}

}  // namespace mbnn
