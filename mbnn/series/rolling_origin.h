// How well a series would have been forecast: fits that end at several times of its past, each judged by what followed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mbnn/run/run.h"
#include "mbnn/series/series_configuration.h"
#include "mbnn/tables/columns/table.h"

namespace mbnn {

struct RollingOptions {
  std::size_t horizon = 1;  // steps that each fit forecasts
  std::size_t folds = 5;    // fits; the last one ends `horizon` steps before the last target
  std::size_t between = 0;  // steps from the end of one to that of the next; 0: the horizon
  double level = 0.95;      // of the interval
};

// A target and what was said of it `lead` steps before, in its own units.
struct RollingForecast {
  std::size_t fold = 0, lead = 0;
  std::string origin, date;  // the last step of the training, and that of the target
  double actual = 0, mean = 0, median = 0, lower = 0, upper = 0, crps = 0;
  double naive = 0;  // the last value of the same phase; NaN if there is none
  double scale = 0;  // mean absolute change over a season within the training: what MASE divides by
};

// Each fit has a table without any row behind its training: seasons, scales and regressors are learnt from that alone.
// Calls begin(fold, date of its last step) before each. Stops early, with what there is, if options.stop says so.
std::vector<RollingForecast> rolling_forecasts(SeriesConfiguration configuration, const Table& table,
                                               const RollingOptions& rolling, const RunOptions& options,
                                               const std::function<void(std::size_t, const std::string&)>& begin,
                                               std::vector<std::string>& notes);

struct RollingScores {
  std::size_t n = 0;
  double rmse = 0, mae = 0, crps = 0, coverage = 0;
  double mase = 0;   // mean of |error| / scale
  double skill = 0;  // 1 - sum of |errors| / that of the naive forecast, where there is one
};
RollingScores score(const std::vector<RollingForecast>& forecasts);
std::vector<RollingScores> score_by_lead(const std::vector<RollingForecast>& forecasts);  // of lead 1, 2, ...

}  // namespace mbnn
