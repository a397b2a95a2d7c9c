// What a fitted series says of later rows, of its own past, and of what would have happened without an intervention.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "mbnn/judge/metrics.h"
#include "mbnn/series/fitted_series.h"

namespace mbnn {

// Forecast: the targets after the training period are not looked at. Nowcast: each is taken in once it has been
// predicted, so that every prediction is one step ahead.
enum class ForecastMode { forecast, nowcast };
constexpr auto enum_names(ForecastMode) { return std::array{"forecast", "nowcast"}; }

// What each draw says of a row, in units of the target. The components' means add up to the target's.
struct SeriesPrediction {
  struct Law {
    std::vector<double> means, sds;  // by draw
  };
  std::size_t row = 0;
  Law target;
  // As component_names() lists them. The trend carries the mean of the target and, since data cannot tell the two
  // apart, the mean of the regression over the training rows.
  std::vector<Law> components;
  std::vector<double> regression;  // f less that mean, by draw
  std::vector<double> events;      // by draw; empty if there are none
};

class SeriesForecaster {
 public:
  explicit SeriesForecaster(const FittedSeries& fitted);  // which must outlive it
  explicit SeriesForecaster(FittedSeries&&) = delete;

  // Calls visit for each row after the training period, in order.
  void for_each_row(const SeriesRows& rows, ForecastMode mode,
                    const std::function<void(const SeriesPrediction&)>& visit) const;
  // The rows within the training period, given all of its targets; the target's law is that of signal and noise.
  void for_each_training_row(const SeriesRows& rows, const std::function<void(const SeriesPrediction&)>& visit) const;

  // Actual minus counterfactual from step `from` on: what the forecast is without any target from there on. Targets
  // between the training period and `from` are taken in. Rows without a target leave the sum as it is.
  struct Effect {
    std::size_t row;
    double actual;                                     // NaN if missing
    SeriesPrediction::Law counterfactual, cumulative;  // cumulative: law of the sum of the effects so far
  };
  void for_each_effect(const SeriesRows& rows, std::int64_t from,
                       const std::function<void(const Effect&)>& visit) const;

  // The forecast of the first step after training, by draw and row, as if its regressors were those of the rows: what
  // convergence is judged by. In scaled units.
  std::vector<std::vector<double>> next_step(const Dataset& rows) const;

 private:
  // f and events at rows, in scaled units.
  struct Known {
    std::vector<double> regression, events, sum;
  };
  Known known(std::size_t draw, const Batch& batch, std::span<const std::int64_t> times) const;
  Belief after_training(std::size_t draw) const;

  const FittedSeries* fitted_;
  std::vector<const State*> draws_;
  std::vector<StateSpace> spaces_;
  Batch training_;
  std::vector<double> offsets_;  // mean of f over the training rows, by draw
};

struct SeriesScores {
  RegressionMetrics forecast, nowcast;
};
// On the rows after the training period whose target is known.
SeriesScores evaluate_series(const FittedSeries& fitted, const SeriesRows& rows, double level);

}  // namespace mbnn
