#include "tests/support/dense_series.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace mbnn::dense {

Matrix zeros(std::size_t rows, std::size_t columns) { return Matrix(rows, std::vector<double>(columns, 0.0)); }

namespace {

Matrix multiply(const Matrix& a, const Matrix& b) {
  Matrix c = zeros(a.size(), b[0].size());
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < b.size(); ++k)
      for (std::size_t j = 0; j < b[0].size(); ++j) c[i][j] += a[i][k] * b[k][j];
  return c;
}

Matrix transposed(const Matrix& a) {
  Matrix t = zeros(a[0].size(), a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a[0].size(); ++j) t[j][i] = a[i][j];
  return t;
}

// Gauss-Jordan with pivots; also the log determinant.
Matrix inverse(Matrix a, double& log_determinant) {
  const std::size_t n = a.size();
  Matrix inverse = zeros(n, n);
  for (std::size_t i = 0; i < n; ++i) inverse[i][i] = 1;
  log_determinant = 0;
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t i = c; i < n; ++i)
      if (std::abs(a[i][c]) > std::abs(a[pivot][c])) pivot = i;
    std::swap(a[c], a[pivot]);
    std::swap(inverse[c], inverse[pivot]);
    log_determinant += std::log(std::abs(a[c][c]));
    const double scale = 1 / a[c][c];
    for (std::size_t j = 0; j < n; ++j) {
      a[c][j] *= scale;
      inverse[c][j] *= scale;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (i == c) continue;
      const double factor = a[i][c];
      for (std::size_t j = 0; j < n; ++j) {
        a[i][j] -= factor * a[c][j];
        inverse[i][j] -= factor * inverse[c][j];
      }
    }
  }
  return inverse;
}

}  // namespace

Posterior posterior(const SeriesOptions& options, const SeriesParameters& p, Series y) {
  // The model's equations, component by component.
  std::size_t m = options.trend == Trend::linear ? 2 : 1;
  Posterior result;
  result.components = {{0}};
  std::vector<std::size_t> firsts;
  for (const Season& season : options.seasons) {
    firsts.push_back(m);
    result.components.emplace_back();
    const auto period = static_cast<std::size_t>(season.period);
    const bool lone = season.waves > 0 && static_cast<double>(2 * season.waves) == season.period;
    if (season.waves == 0) result.components.back() = {m};
    for (std::size_t j = 0; j < season.waves; ++j) result.components.back().push_back(m + 2 * j);
    m += season.waves == 0 ? period - 1 : 2 * season.waves - (lone ? 1 : 0);
  }
  for (const auto& entries : result.components)
    result.entries.insert(result.entries.end(), entries.begin(), entries.end());
  Matrix T = zeros(m, m), Q = zeros(m, m), P = zeros(m, m), Z = zeros(1, m);
  T[0][0] = options.trend == Trend::damped ? p.damping : 1;
  Q[0][0] = p.level;
  P[0][0] = options.initial_level;
  if (options.trend == Trend::linear) {
    T[0][1] = T[1][1] = 1;
    Q[1][1] = p.slope;
    P[1][1] = options.initial_slope;
  }
  for (std::size_t i = 0; i < options.seasons.size(); ++i) {
    const Season& season = options.seasons[i];
    const std::size_t first = firsts[i], end = i + 1 < firsts.size() ? firsts[i + 1] : m, count = end - first;
    for (std::size_t j = 1; j <= season.waves; ++j) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(j) / season.period;
      for (std::size_t e = first + 2 * (j - 1); e < std::min(first + 2 * j, end); ++e) {
        T[e][e] = std::cos(angle);
        Q[e][e] = p.season[i] / (season.period * static_cast<double>(season.waves));
        P[e][e] = options.initial_season / static_cast<double>(j * j);
      }
      const std::size_t e = first + 2 * (j - 1);
      if (e + 1 >= end) continue;
      T[e][e + 1] = std::sin(angle);
      T[e + 1][e] = -std::sin(angle);
    }
    if (season.waves > 0) continue;
    Q[first][first] = p.season[i];
    for (std::size_t k = 0; k < count; ++k) {
      T[first][first + k] = -1;
      if (k > 0) T[first + k][first + k - 1] = 1;
      P[first + k][first + k] = options.initial_season;
    }
  }
  for (std::size_t e : result.entries) Z[0][e] = 1;
  result.states = m;

  // Cov(a_s, a_t) for s <= t is Var(a_s) T'^(t-s).
  const std::size_t n = y.size();
  Matrix all = zeros(n * m, n * m);
  Matrix variance = P;
  for (std::size_t s = 0; s < n; ++s) {
    Matrix block = variance;
    for (std::size_t t = s; t < n; ++t) {
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < m; ++j) all[s * m + i][t * m + j] = all[t * m + j][s * m + i] = block[i][j];
      block = multiply(block, transposed(T));
    }
    variance = multiply(multiply(T, variance), transposed(T));
    for (std::size_t i = 0; i < m; ++i) variance[i][i] += Q[i][i];
  }

  std::vector<std::size_t> seen;
  for (std::size_t t = 0; t < n; ++t)
    if (!std::isnan(y[t])) seen.push_back(t);
  if (seen.empty()) {
    result.mean.assign(n * m, 0.0);
    result.covariance = all;
    return result;
  }
  Matrix H = zeros(seen.size(), n * m);
  for (std::size_t r = 0; r < seen.size(); ++r)
    for (std::size_t e : result.entries) H[r][seen[r] * m + e] = 1;
  const Matrix cross = multiply(all, transposed(H));
  Matrix S = multiply(H, cross);
  for (std::size_t r = 0; r < seen.size(); ++r) S[r][r] += p.noise;
  double log_determinant = 0;
  const Matrix S_inverse = inverse(S, log_determinant);
  Matrix values = zeros(seen.size(), 1);
  for (std::size_t r = 0; r < seen.size(); ++r) values[r][0] = y[seen[r]];
  const Matrix weights = multiply(S_inverse, values);
  double quadratic = 0;
  for (std::size_t r = 0; r < seen.size(); ++r) quadratic += values[r][0] * weights[r][0];
  result.log_likelihood =
      -0.5 * (static_cast<double>(seen.size()) * std::log(2 * std::numbers::pi) + log_determinant + quadratic);
  const Matrix mean = multiply(cross, weights);
  for (const auto& row : mean) result.mean.push_back(row[0]);
  const Matrix explained = multiply(multiply(cross, S_inverse), transposed(cross));
  result.covariance = all;
  for (std::size_t i = 0; i < n * m; ++i)
    for (std::size_t j = 0; j < n * m; ++j) result.covariance[i][j] -= explained[i][j];
  return result;
}

}  // namespace mbnn::dense
