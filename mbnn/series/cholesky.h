// A small symmetric positive definite matrix taken apart: what the linear regression's coefficients need.
#pragma once

#include <cmath>
#include <vector>

namespace mbnn {

// A = L L', stored row after row; only the lower half of what is given is read.
class Cholesky {
 public:
  Cholesky(std::vector<double> matrix, std::size_t size) : a_(std::move(matrix)), n_(size) {
    for (std::size_t j = 0; j < n_; ++j) {
      for (std::size_t k = 0; k < j; ++k)
        for (std::size_t i = j; i < n_; ++i) a_[i * n_ + j] -= a_[i * n_ + k] * a_[j * n_ + k];
      const double pivot = std::sqrt(a_[j * n_ + j]);
      for (std::size_t i = j; i < n_; ++i) a_[i * n_ + j] /= pivot;
    }
  }
  // x <- L^-1 x
  void solve_lower(std::vector<double>& x) const {
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t k = 0; k < i; ++k) x[i] -= a_[i * n_ + k] * x[k];
      x[i] /= a_[i * n_ + i];
    }
  }
  // x <- L'^-1 x
  void solve_upper(std::vector<double>& x) const {
    for (std::size_t i = n_; i-- > 0;) {
      for (std::size_t k = i + 1; k < n_; ++k) x[i] -= a_[k * n_ + i] * x[k];
      x[i] /= a_[i * n_ + i];
    }
  }

 private:
  std::vector<double> a_;
  std::size_t n_;
};

}  // namespace mbnn
