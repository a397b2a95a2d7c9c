// A fit of a series as its draws are used, and the rows of later tables that it is used on.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "mbnn/series/prepare.h"
#include "mbnn/tables/fitted_model.h"

namespace mbnn {

// What is needed to use a series fit.
struct FittedSeries {
  FittedModel regression;  // draws of f and of the noise
  SeriesOptions options;
  std::string date;
  TimeAxis axis;
  SeriesData data;                           // the training rows
  SeriesRows future;                         // those behind them that had no target
  std::vector<SeriesParameters> parameters;  // by draw, chain after chain

  static FittedSeries read(const FitFile& file);
  void read_parameters();  // from the traces of the draws
  std::vector<const State*> draws() const;
};

// The rows of a later table.
enum class TargetColumn { required, optional };
SeriesRows read_series_rows(const FittedSeries& fitted, Table table, TargetColumn target,
                            std::vector<std::string>& notes);

// What stands in for regressors that nobody knows yet: those of the last training row, or their means.
enum class RegressorForecast { none, last, mean };
constexpr auto enum_names(RegressorForecast) { return std::array{"none", "last", "mean"}; }

// Rows without a table: the training rows, and the next steps after them. Steps that stood behind the training rows
// of the fitted table have their regressors from there. InputError if others need some and nothing stands in.
SeriesRows training_rows(const FittedSeries& fitted);
SeriesRows next_rows(const FittedSeries& fitted, std::size_t steps, RegressorForecast regressors);
SeriesRows joined(SeriesRows first, const SeriesRows& second);

}  // namespace mbnn
