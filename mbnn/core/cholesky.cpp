#include "mbnn/core/cholesky.h"

#include <cmath>

namespace mbnn {

Cholesky::Cholesky(std::vector<double> matrix, std::size_t size) : size_(size), lower_(std::move(matrix)) {
  for (std::size_t j = 0; j < size; ++j) {
    double* row_j = lower_.data() + j * size;
    for (std::size_t i = 0; i < j; ++i) {
      const double* row_i = lower_.data() + i * size;
      double sum = row_j[i];
      for (std::size_t k = 0; k < i; ++k) sum -= row_j[k] * row_i[k];
      row_j[i] = sum / row_i[i];
    }
    double pivot = row_j[j];
    for (std::size_t k = 0; k < j; ++k) pivot -= row_j[k] * row_j[k];
    if (!(pivot > 0) || !std::isfinite(pivot)) {
      ok_ = false;
      return;
    }
    row_j[j] = std::sqrt(pivot);
    for (std::size_t k = j + 1; k < size; ++k) row_j[k] = 0;
  }
}

double Cholesky::log_determinant() const {
  double sum = 0;
  for (std::size_t j = 0; j < size_; ++j) sum += 2 * std::log(lower_[j * size_ + j]);
  return sum;
}

std::vector<double> Cholesky::solve_upper(std::span<const double> b) const {
  std::vector<double> x(b.begin(), b.end());
  for (std::size_t i = size_; i-- > 0;) {
    x[i] /= lower_[i * size_ + i];
    for (std::size_t k = 0; k < i; ++k) x[k] -= lower_[i * size_ + k] * x[i];
  }
  return x;
}

std::vector<double> Cholesky::solve_lower(std::span<const double> b) const {
  std::vector<double> x(b.begin(), b.end());
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= lower_[i * size_ + k] * x[k];
    x[i] /= lower_[i * size_ + i];
  }
  return x;
}

std::vector<double> Cholesky::solve(std::span<const double> b) const { return solve_upper(solve_lower(b)); }

double Cholesky::squared_norm(std::span<const double> x) const {
  double sum = 0;
  for (std::size_t j = 0; j < size_; ++j) {  // component j of L^T x
    double component = 0;
    for (std::size_t i = j; i < size_; ++i) component += lower_[i * size_ + j] * x[i];
    sum += component * component;
  }
  return sum;
}

// L^-1 first, row after row, then its square.
std::vector<double> Cholesky::inverse() const {
  const std::size_t n = size_;
  std::vector<double> l(n * n, 0.0), result(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    double* row = l.data() + i * n;
    for (std::size_t k = 0; k < i; ++k) {
      const double factor = lower_[i * n + k];
      for (std::size_t j = 0; j <= k; ++j) row[j] -= factor * l[k * n + j];
    }
    row[i] = 1;
    for (std::size_t j = 0; j <= i; ++j) row[j] /= lower_[i * n + i];
  }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i <= k; ++i) {
      const double factor = l[k * n + i];
      for (std::size_t j = 0; j <= i; ++j) result[i * n + j] += factor * l[k * n + j];
    }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) result[j * n + i] = result[i * n + j];
  return result;
}

}  // namespace mbnn
