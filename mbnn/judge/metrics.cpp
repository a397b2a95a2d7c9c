// Sums over rows of the proper scores, the interval's coverage and the calibration bins.
#include "mbnn/judge/metrics.h"

#include <algorithm>
#include <cmath>

#include "mbnn/core/error.h"
#include "mbnn/judge/mixture.h"

namespace mbnn {
namespace {

// Averages of float32 softmax outputs miss one by about 1e-7; more than this is not a distribution.
constexpr double probability_tolerance = 1e-4;

void require_distribution(std::span<const double> probabilities) {
  double sum = 0;
  for (double p : probabilities) {
    require(p >= 0, "class probability", p, "must be at least 0");
    sum += p;
  }
  require(std::abs(sum - 1) <= probability_tolerance, "sum of class probabilities", sum, "must be 1");
}

}  // namespace

RegressionScores score(double y, std::span<const double> mu, std::span<const double> sd, double level,
                       std::span<const double> weight) {
  require(level > 0 && level < 1, "level", level, "must lie between 0 and 1, both excluded");
  const double low = mixture_quantile(0.5 * (1 - level), mu, sd, weight);
  const double high = mixture_quantile(0.5 * (1 + level), mu, sd, weight);
  return {.error = y - mixture_mean(mu, sd, weight),
          .nll = -mixture_log_density(y, mu, sd, weight),
          .crps = mixture_crps(y, mu, sd, weight),
          .low = low,
          .high = high,
          .inside = low <= y && y <= high,
          .interval_score = high - low + 2 / (1 - level) * std::max({low - y, y - high, 0.0}),
          .pit = mixture_cdf(y, mu, sd, weight)};
}

void RegressionAccumulator::add(const RegressionScores& row) {
  ++n_;
  squared_error_ += row.error * row.error;
  absolute_error_ += std::abs(row.error);
  nll_ += row.nll;
  crps_ += row.crps;
  inside_ += row.inside;
  width_ += row.high - row.low;
  interval_score_ += row.interval_score;
}

void RegressionAccumulator::add(const RegressionAccumulator& other) {
  n_ += other.n_;
  squared_error_ += other.squared_error_;
  absolute_error_ += other.absolute_error_;
  nll_ += other.nll_;
  crps_ += other.crps_;
  inside_ += other.inside_;
  width_ += other.width_;
  interval_score_ += other.interval_score_;
}

RegressionMetrics RegressionAccumulator::result() const {
  const double rows = static_cast<double>(n_);
  return {.n = n_,
          .rmse = std::sqrt(squared_error_ / rows),
          .mae = absolute_error_ / rows,
          .nll = nll_ / rows,
          .crps = crps_ / rows,
          .coverage = inside_ / rows,
          .interval_width = width_ / rows,
          .interval_score = interval_score_ / rows};
}

void ClassificationAccumulator::add(std::size_t label, std::span<const double> probabilities) {
  require(label < probabilities.size(), "label", label, "must be below the number of classes");
  require_distribution(probabilities);
  const auto top = std::max_element(probabilities.begin(), probabilities.end());
  const bool correct = static_cast<std::size_t>(top - probabilities.begin()) == label;
  ++n_;
  correct_ += correct;
  nll_ -= std::log(probabilities[label]);
  for (std::size_t k = 0; k < probabilities.size(); ++k) {
    const double error = probabilities[k] - (k == label ? 1 : 0);
    brier_ += error * error;
  }
  // Bins are closed above, (m / M, (m + 1) / M], as in Guo et al. 2017; the clamp is for sums that round above one.
  const double last = static_cast<double>(bins_.size() - 1);
  const double index = std::ceil(*top * static_cast<double>(bins_.size())) - 1;
  Bin& bin = bins_[static_cast<std::size_t>(std::clamp(index, 0.0, last))];
  bin.confidence += *top;
  bin.correct += correct;
}

void ClassificationAccumulator::add(const ClassificationAccumulator& other) {
  n_ += other.n_;
  correct_ += other.correct_;
  nll_ += other.nll_;
  brier_ += other.brier_;
  for (std::size_t b = 0; b < bins_.size(); ++b) {
    bins_[b].confidence += other.bins_[b].confidence;
    bins_[b].correct += other.bins_[b].correct;
  }
}

ClassificationMetrics ClassificationAccumulator::result() const {
  const double rows = static_cast<double>(n_);
  // A bin's weight times its gap |accuracy - confidence| is the difference of its sums: its row count cancels.
  double gaps = 0;
  for (const Bin& bin : bins_) gaps += std::abs(bin.correct - bin.confidence);
  return {.n = n_, .accuracy = correct_ / rows, .nll = nll_ / rows, .ece = gaps / rows, .brier = brier_ / rows};
}

}  // namespace mbnn
