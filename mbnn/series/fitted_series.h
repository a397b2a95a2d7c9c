// A fit of a series as its draws are used, and the rows of later tables that it is used on.
#pragma once

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
  std::vector<SeriesParameters> parameters;  // by draw, chain after chain

  static FittedSeries read(const FitFile& file);
  void read_parameters();  // from the traces of the draws
  std::vector<const State*> draws() const;
};

// Rows of a later table: their regressors, their places in time, and their targets where there are any.
struct SeriesRows {
  Dataset inputs;
  std::vector<std::int64_t> times;
  std::vector<double> targets;     // scaled; NaN if missing
  std::vector<std::string> dates;  // as the table writes them
};
enum class TargetColumn { required, optional };
SeriesRows read_series_rows(const FittedSeries& fitted, Table table, TargetColumn target,
                            std::vector<std::string>& notes);

}  // namespace mbnn
