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

struct PreparedSeries {
  Encoding encoding;
  TimeAxis axis;
  SeriesData data;
};
PreparedSeries prepare_series(const SeriesConfiguration& configuration, Table table, std::vector<std::string>& notes);

// The column of that name; `use` says in an error what it is for.
const Column& find_column(const Table& table, const std::string& name, const char* use);

}  // namespace mbnn
