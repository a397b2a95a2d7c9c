// Marginal calibration error: how far the probability of every class, not of the predicted one alone, is from what
// occurs.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mbnn {

struct MarginalCalibration {
  std::size_t n;   // rows
  double squared;  // of mean 0 for calibrated probabilities, so it may fall below 0; NaN without rows
  double error;    // its root; 0 if it is below 0
};

// The debiased estimator of Kumar, Liang and Ma 2019 (Verified uncertainty calibration). For each class the rows are
// cut into 15 bins of equal numbers by its probability; with p the mean probability and y the share of rows of the
// class in a bin of m rows, that bin has
//
//   (p - y)² - y (1 - y) / (m - 1)
//
// where the second term is the expected square of the chance error of y, which the plain estimator counts as
// miscalibration. The squared error is the mean over classes of the mean over rows. Rows of equal probability stay in
// one bin; a bin of one row says nothing and counts as 0. Within bins errors may cancel: it is a lower bound.
class MarginalCalibrationError {
 public:
  // One row: the class that occurred and the predictive probability of each class.
  void add(std::size_t label, std::span<const double> probabilities);
  MarginalCalibration result() const;

 private:
  std::vector<double> probabilities_;  // [row][class]
  std::vector<std::size_t> labels_;
  std::size_t classes_ = 0;
};

}  // namespace mbnn
