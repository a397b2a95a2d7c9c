#include "mbnn/series/prepare.h"

// From tables to series: which columns are regressors, which rows are for training, where in time each row stands.
#include <algorithm>
#include <cmath>

#include "mbnn/core/error.h"
#include "mbnn/core/known_names.h"
#include "mbnn/tables/columns/row_selection.h"

namespace mbnn {

namespace {

std::size_t training_rows(const SeriesConfiguration& c, const Table& table, const TimeAxis& axis,
                          const std::vector<std::int64_t>& times) {
  if (c.train_rows) {
    require_option(*c.train_rows >= 2 && *c.train_rows <= table.rows, "train-rows", *c.train_rows,
                   fmt::format("must be from 2 to the {} rows of the table", table.rows));
    return *c.train_rows;
  }
  if (!c.train_until) return table.rows;
  const std::int64_t last = axis.step_until(*c.train_until, "train-until");
  const auto rows = static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), last) - times.begin());
  if (rows < 2)
    throw OptionError("train-until", fmt::format(" = {}: {} rows of {} are not after it; at least 2 are needed",
                                                 *c.train_until, rows, table.path));
  return rows;
}

}  // namespace

const Column& find_column(const Table& table, const std::string& name, const char* use) {
  const Column* column = table.find(name);
  if (!column)
    throw InputError(
        fmt::format("{}: no column '{}' for {}; {}", table.path, name, use, known_columns(name, table.column_names())));
  return *column;
}

TableOptions with_dates(TableOptions options, const std::string& date) {
  options.as_written.push_back(date);
  return options;
}

PreparedSeries prepare_series(const SeriesConfiguration& c, Table table, std::vector<std::string>& notes) {
  PreparedSeries prepared;
  const Column& target = find_column(table, c.base.encoding.target, "the target");
  if (c.date == c.base.encoding.target)
    throw OptionError("date", fmt::format(" = {}: the target cannot be the date, too", c.date));
  const Column& date = find_column(table, c.date, "the date");
  prepared.axis = TimeAxis::learn(table, date, notes);
  const std::vector<std::int64_t> times = prepared.axis.steps(table, date);
  const std::size_t rows = training_rows(c, table, prepared.axis, times);
  if (rows < table.rows)
    notes.push_back(fmt::format("{} rows are for training, up to {}; the other {} are not looked at", rows,
                                date.text(rows - 1), table.rows - rows));
  SeriesData& data = prepared.data;
  data.steps = times[rows - 1] + 1;
  std::vector<std::size_t> observed;
  for (std::size_t row = 0; row < rows; ++row) {
    if (target.missing(row)) continue;
    observed.push_back(row);
    data.times.push_back(times[row]);
  }
  if (observed.size() < rows)
    notes.push_back(fmt::format("{} of {} training rows have no target '{}': treated as missing",
                                rows - observed.size(), rows, target.name));

  const std::string target_name = target.name;
  table.columns.erase(table.columns.begin() + table.index_of(c.date));
  if (c.series.regression == Regression::none)
    std::erase_if(table.columns, [&](const Column& column) { return column.name != target_name; });
  std::vector<std::size_t> all(rows);
  for (std::size_t row = 0; row < rows; ++row) all[row] = row;
  for (const Column& column : table.columns)
    if (column.name != target_name) refuse_missing(table, column, all);
  if (c.series.regression != Regression::none && table.columns.size() == 1)
    throw InputError(
        fmt::format("{}: no columns beside the date and the target '{}' to regress on; regression none fits the series "
                    "by itself",
                    table.path, target_name));
  EncodingOptions options = c.base.encoding;
  options.task = Task::regression;
  options.missing_is_error = true;
  options.inputs_required = c.series.regression != Regression::none;
  prepared.encoding = Encoding::learn(table, options, notes, observed);
  std::vector<std::string> said;  // by learn() already
  data.rows = prepared.encoding.encode(std::move(table), Encoding::Needs::inputs_and_target, said, observed);
  return prepared;
}

}  // namespace mbnn
