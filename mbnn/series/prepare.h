// A table as a series: what was learnt of its columns and dates, and the rows to train on.
#pragma once

#include <string>
#include <vector>

#include "mbnn/series/gibbs.h"
#include "mbnn/series/series_configuration.h"
#include "mbnn/tables/columns/time_axis.h"

namespace mbnn {

// Reads the column of dates as it is written: as a number, 2019.10 would be 2019.1.
TableOptions with_dates(TableOptions options, const std::string& date);

// Rows to predict: their regressors, their places in time, and their targets where there are any.
struct SeriesRows {
  Dataset inputs;
  std::vector<std::int64_t> times;
  std::vector<double> targets;     // scaled; NaN if missing
  std::vector<std::string> dates;  // as the table writes them
};

struct PreparedSeries {
  Encoding encoding;
  TimeAxis axis;
  SeriesData data;
  SeriesRows future;        // the last rows of the table, if they have no target
  SeriesOptions structure;  // with what was left to the table
};
PreparedSeries prepare_series(const SeriesConfiguration& configuration, Table table, std::vector<std::string>& notes);

// The column of that name; `use` says in an error what it is for.
const Column& find_column(const Table& table, const std::string& name, const char* use);

}  // namespace mbnn
