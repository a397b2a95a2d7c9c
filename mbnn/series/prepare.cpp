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

// Without regressors the series stands by itself.
void settle_regression(SeriesOptions& structure, const Table& table, const Encoding& encoding,
                       std::vector<std::string>& notes) {
  if (structure.regression == Regression::none) return;
  const bool any = encoding.inputs() > 0, open = structure.regression == Regression::automatic;
  if (open) structure.regression = any ? Regression::mbnn : Regression::none;
  if (any) return;
  if (!open)
    throw InputError(
        fmt::format("{}: no columns beside the date and the target '{}' to regress on; regression none fits the series "
                    "by itself",
                    table.path, encoding.target()));
  notes.push_back(fmt::format("no columns beside the date and the target '{}' to regress on: regression is none",
                              encoding.target()));
}

// What stands behind the last target is predicted, if it has what that takes.
SeriesRows future_rows(const Table& table, const Column& date, const std::vector<std::int64_t>& times,
                       const Encoding& encoding, std::size_t first, std::size_t last, std::vector<std::string>& notes) {
  SeriesRows future;
  std::vector<std::size_t> rows;
  for (std::size_t row = first; row < last; ++row) rows.push_back(row);
  std::vector<std::string> said;  // of later tables alone
  try {
    future.inputs = encoding.encode(table, Encoding::Needs::inputs, said, rows);
  } catch (const InputError& error) {
    notes.push_back(
        fmt::format("the last {} rows have no target and cannot be predicted: {}", rows.size(), error.what()));
    return {};
  }
  for (const std::size_t row : rows) {
    future.times.push_back(times[row]);
    future.dates.push_back(date.text(row));
  }
  future.targets.assign(rows.size(), NAN);
  notes.push_back(fmt::format("the last {} rows have no target: they are the future, from {} on, and no training",
                              rows.size(), future.dates[0]));
  return future;
}

// Proposes what was left to the table, and refuses what the data cannot show.
void settle_seasons(SeriesOptions& structure, const TimeAxis& axis, std::int64_t steps,
                    std::vector<std::string>& notes) {
  for (const Season& season : structure.seasons)
    if (season.period > static_cast<double>(steps))
      throw OptionError("season", fmt::format(" = {}: the season is longer than the {} steps of the training period",
                                              season.text(), steps));
  std::vector<Season> fitting, too_long;
  for (const Season& season : usual_seasons(axis))
    (2 * season.period <= static_cast<double>(steps) ? fitting : too_long).push_back(season);
  const bool asked = !structure.seasons.empty() && structure.seasons[0].proposed();
  if (asked) {
    structure.seasons = fitting;
    notes.push_back(fitting.empty()
                        ? fmt::format("no season goes with steps of {}", axis.step_name())
                        : fmt::format("seasons of steps of {}: {}", axis.step_name(), list_seasons(fitting)));
    if (!too_long.empty())
      notes.push_back(
          fmt::format("left out, for they are longer than half of the training period: {}", list_seasons(too_long)));
  } else if (structure.seasons.empty() && !fitting.empty()) {
    notes.push_back(fmt::format("no season is given; season auto would take {}", list_seasons(fitting)));
  }
}

void say_dates(const TimeAxis& axis, const Column& date, std::vector<std::string>& notes) {
  if (axis.order() == DayOrder::day_first || axis.order() == DayOrder::month_first)
    notes.push_back(fmt::format("dates such as '{}' are read as {}", date.text(0),
                                axis.order() == DayOrder::day_first ? "day, month, year" : "month, day, year"));
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
  prepared.structure = c.series;
  const Column& target = find_column(table, c.base.encoding.target, "the target");
  if (c.date == c.base.encoding.target)
    throw OptionError("date", fmt::format(" = {}: the target cannot be the date, too", c.date));
  const Column& date = find_column(table, c.date, "the date");
  prepared.axis = TimeAxis::learn(table, date, notes);
  say_dates(prepared.axis, date, notes);
  const std::vector<std::int64_t> times = prepared.axis.steps(table, date);
  const std::size_t considered = training_rows(c, table, prepared.axis, times);
  if (considered < table.rows)
    notes.push_back(fmt::format("{} rows are for training, up to {}; the other {} are not looked at", considered,
                                date.text(considered - 1), table.rows - considered));
  std::size_t rows = considered;
  while (rows > 0 && target.missing(rows - 1)) --rows;
  if (rows == 0) rows = considered;  // said below
  SeriesData& data = prepared.data;
  data.steps = times[rows - 1] + 1;
  settle_seasons(prepared.structure, prepared.axis, data.steps, notes);
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
  const Column dates = date;
  table.columns.erase(table.columns.begin() + table.index_of(c.date));
  if (c.series.regression == Regression::none)
    std::erase_if(table.columns, [&](const Column& column) { return column.name != target_name; });
  std::vector<std::size_t> all(rows);
  for (std::size_t row = 0; row < rows; ++row) all[row] = row;
  for (const Column& column : table.columns)
    if (column.name != target_name) refuse_missing(table, column, all);
  EncodingOptions options = c.base.encoding;
  options.task = Task::regression;
  options.missing_is_error = true;
  options.inputs_required = false;
  prepared.encoding = Encoding::learn(table, options, notes, observed);
  settle_regression(prepared.structure, table, prepared.encoding, notes);
  if (rows < considered) prepared.future = future_rows(table, dates, times, prepared.encoding, rows, considered, notes);
  std::vector<std::string> said;  // by learn() already
  data.rows = prepared.encoding.encode(std::move(table), Encoding::Needs::inputs_and_target, said, observed);
  return prepared;
}

}  // namespace mbnn
