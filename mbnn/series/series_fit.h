// A table to a structural series, its fit on disk or in memory, and what is read back of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mbnn/series/gibbs.h"
#include "mbnn/series/series_configuration.h"
#include "mbnn/tables/columns/dates.h"
#include "mbnn/tables/table_fit.h"

namespace mbnn {

// Reads the column of dates as it is written: as a number, 2019.10 would be 2019.1.
TableOptions with_dates(TableOptions options, const std::string& date);

// A table as a series: what was learnt of its columns and dates, and the rows to train on.
struct PreparedSeries {
  Encoding encoding;
  TimeAxis axis;
  SeriesData data;
};
PreparedSeries prepare_series(const SeriesConfiguration& configuration, Table table, std::vector<std::string>& notes);

bool is_series(const FitFile& file);
FitFile create_series_fit(const std::string& path, const SeriesConfiguration& configuration,
                          const PreparedSeries& prepared, const std::vector<std::string>& notes, bool overwrite);
// As run_fit() does for tables: from where the chains are to where the configuration wants them.
bool run_series_fit(FitFile& file, const RunOptions& options);

// What is needed to use a series fit.
struct FittedSeries {
  FittedModel regression;  // draws of f and of the noise
  SeriesOptions options;
  std::string date;
  TimeAxis axis;
  SeriesData data;                           // the training rows
  std::vector<SeriesParameters> parameters;  // by draw, chain after chain

  static FittedSeries read(const FitFile& file);
  std::vector<const State*> draws() const;
};
// The same without a file.
FittedSeries sample_series(const SeriesConfiguration& configuration, const PreparedSeries& prepared,
                           const RunOptions& options);

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
