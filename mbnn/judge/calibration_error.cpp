#include "mbnn/judge/calibration_error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mbnn/core/error.h"

namespace mbnn {
namespace {

constexpr std::size_t bin_count = 15;

using Row = std::pair<double, bool>;  // the probability of a class, and whether it occurred

double bin_sum(std::span<const Row> bin) {
  if (bin.size() < 2) return 0;
  const double m = static_cast<double>(bin.size());
  double probability = 0, occurred = 0;
  for (const Row& row : bin) {
    probability += row.first / m;
    occurred += row.second / m;
  }
  const double gap = probability - occurred;
  return m * (gap * gap - occurred * (1 - occurred) / (m - 1));
}

// The sum over rows of the debiased squared gaps of their bins.
double class_sum(std::vector<Row>& rows) {
  std::sort(rows.begin(), rows.end());
  double sum = 0;
  std::size_t begin = 0;
  for (std::size_t b = 1; b <= bin_count && begin < rows.size(); ++b) {
    std::size_t end = rows.size() * b / bin_count;
    if (end <= begin) continue;
    while (end < rows.size() && rows[end].first == rows[end - 1].first) ++end;
    sum += bin_sum(std::span(rows).subspan(begin, end - begin));
    begin = end;
  }
  return sum;
}

}  // namespace

void MarginalCalibrationError::add(std::size_t label, std::span<const double> probabilities) {
  require(label < probabilities.size(), "label", label, "must be below the number of classes");
  require(labels_.empty() || probabilities.size() == classes_, "classes", probabilities.size(),
          "must be as many as in the rows before");
  for (double p : probabilities) require(p >= 0 && p <= 1 + 1e-6, "class probability", p, "must lie in [0, 1]");
  classes_ = probabilities.size();
  labels_.push_back(label);
  probabilities_.insert(probabilities_.end(), probabilities.begin(), probabilities.end());
}

MarginalCalibration MarginalCalibrationError::result() const {
  const std::size_t n = labels_.size();
  if (n == 0) return {0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
  double sum = 0;
  std::vector<Row> rows(n);
  for (std::size_t k = 0; k < classes_; ++k) {
    for (std::size_t i = 0; i < n; ++i) rows[i] = {probabilities_[i * classes_ + k], labels_[i] == k};
    sum += class_sum(rows);
  }
  const double squared = sum / static_cast<double>(n * classes_);
  return {n, squared, std::sqrt(std::max(squared, 0.0))};
}

}  // namespace mbnn
