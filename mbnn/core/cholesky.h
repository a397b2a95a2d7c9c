// Symmetric positive definite systems of small size, in double: the factor, solutions, the inverse.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mbnn {

// A = L L^T, both stored whole, row after row.
class Cholesky {
 public:
  // Only the lower half of `matrix` is read. ok() is false if a pivot is not positive.
  Cholesky(std::vector<double> matrix, std::size_t size);

  bool ok() const { return ok_; }
  std::size_t size() const { return size_; }
  double log_determinant() const;  // of A

  std::vector<double> solve(std::span<const double> b) const;        // A x = b
  std::vector<double> solve_lower(std::span<const double> b) const;  // L x = b
  std::vector<double> solve_upper(
      std::span<const double> b) const;                  // L^T x = b: a standard normal b gives x of covariance A^-1
  double squared_norm(std::span<const double> x) const;  // x^T A x
  std::vector<double> inverse() const;

 private:
  std::size_t size_;
  std::vector<double> lower_;
  bool ok_ = true;
};

}  // namespace mbnn
