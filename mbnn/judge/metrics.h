// How good predictions are on rows with known answers, accumulated row by row in constant memory.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace mbnn {

// All are means over rows, and NaN without rows.
struct RegressionMetrics {
  std::size_t n;  // rows
  double rmse;    // of the predictive mean
  double mae;     // of the predictive mean
  double nll;     // minus the log predictive density
  double crps;
  double coverage;        // share of rows inside the central interval
  double interval_width;  // of the central interval
  double
      interval_score;  // its width, and 2 / (1 - level) times how far the answer lies outside (Gneiting, Raftery 2007)
};

struct RegressionScores {
  double error, nll, crps, low, high;  // of the mean; bounds of the central interval
  bool inside;                         // of them
  double interval_score;
  double pit;  // probability of less than the answer
};
// One row: the answer and the predictive mixture (mbnn/judge/mixture.h); level is that of the central interval.
RegressionScores score(double y, std::span<const double> mu, std::span<const double> sd, double level = 0.95,
                       std::span<const double> weight = {});

class RegressionAccumulator {
 public:
  void add(const RegressionScores& row);
  void add(const RegressionAccumulator& other);  // all its rows
  RegressionMetrics result() const;

 private:
  std::size_t n_ = 0;
  double squared_error_ = 0, absolute_error_ = 0, nll_ = 0, crps_ = 0, inside_ = 0, width_ = 0, interval_score_ = 0;
};

struct ClassificationMetrics {
  std::size_t n;    // rows
  double accuracy;  // the first of equally probable classes is the one predicted
  double nll;       // infinite if a class that occurs was given probability zero
  double ece;       // expected calibration error of the predicted class, 15 bins of equal width
  double brier;     // squared error summed over classes: from 0 to 2
};

class ClassificationAccumulator {
 public:
  // One row: the class that occurred and the predictive probability of each class.
  void add(std::size_t label, std::span<const double> probabilities);
  void add(const ClassificationAccumulator& other);  // all its rows
  ClassificationMetrics result() const;

 private:
  struct Bin {
    double confidence = 0, correct = 0;
  };
  std::size_t n_ = 0;
  double correct_ = 0, nll_ = 0, brier_ = 0;
  std::array<Bin, 15> bins_{};
};

}  // namespace mbnn
