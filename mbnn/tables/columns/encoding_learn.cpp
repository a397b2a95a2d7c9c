// Learns an encoding: which columns are of use, their levels, means and deviations, and what the target is.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include "mbnn/core/error.h"
#include "mbnn/core/known_names.h"
#include "mbnn/core/names.h"
#include "mbnn/tables/columns/cell.h"
#include "mbnn/tables/columns/encoding.h"
#include "mbnn/tables/columns/row_selection.h"
#include "mbnn/tables/columns/target_copy.h"

namespace mbnn {
namespace {

constexpr std::size_t least_rows = 5;
constexpr std::size_t most_classes = 100;
constexpr std::size_t identifier_levels =
    50;  // a column with more, most of them seen once, tells rows apart and no more

struct Moments {
  std::size_t count = 0;
  double mean = 0;
  double sd = 0;
  bool constant = true;  // told by the values: the rounded sd of equal values need not be zero
};

// Two passes over values brought near one by a power of two, which is exact: neither 1e300 nor 1e-300 is lost.
template <class Cell>
Moments moments(Cell cell, std::span<const std::size_t> rows) {
  Moments result;
  double least = 0, most = 0;
  for (const std::size_t row : rows) {
    const double value = cell(row);
    if (std::isnan(value)) continue;
    least = result.count == 0 ? value : std::min(least, value);
    most = result.count == 0 ? value : std::max(most, value);
    ++result.count;
  }
  result.constant = least == most;
  if (result.constant) return result;

  int exponent = 0;
  std::frexp(std::max(std::abs(least), std::abs(most)), &exponent);
  exponent = std::clamp(exponent, -1000, 1000);  // so that the factor is a normal number
  const double factor = std::ldexp(1.0, -exponent);
  const auto count = static_cast<double>(result.count);
  double sum = 0, squares = 0;
  for (const std::size_t row : rows)
    if (const double value = cell(row); !std::isnan(value)) sum += value * factor;
  const double mean = sum / count;
  for (const std::size_t row : rows) {
    if (const double value = cell(row); !std::isnan(value)) {
      const double deviation = value * factor - mean;
      squares += deviation * deviation;
    }
  }
  result.mean = std::ldexp(mean, exponent);
  result.sd = std::ldexp(std::sqrt(squares / count), exponent);
  result.constant = result.sd == 0;
  return result;
}

// The distinct values, at most one more than a classification may have.
std::set<double> distinct_values(const NumberCells& cell, std::span<const std::size_t> rows) {
  std::set<double> values;
  for (const std::size_t row : rows) {
    values.insert(cell(row));
    if (values.size() > most_classes) break;
  }
  return values;
}

bool all_whole(const std::set<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return value == std::trunc(value); });
}

std::vector<std::size_t> level_counts(const Column& column, std::span<const std::size_t> rows) {
  std::vector<std::size_t> counts(column.levels.size());
  for (const std::size_t row : rows)
    if (column.codes[row] >= 0) ++counts[static_cast<std::size_t>(column.codes[row])];
  return counts;
}

constexpr std::size_t plausible_classes = 10;

bool counts_rows(const Column& column, std::span<const std::size_t> rows) {
  if (column.kind != ColumnKind::numeric) return false;
  const auto offset = [&](std::size_t row) { return column.numbers[row] - static_cast<double>(row); };
  return std::all_of(rows.begin(), rows.end(), [&](std::size_t row) { return offset(row) == offset(rows[0]); });
}

// Beside few whole numbers: one that is missing, or a class of that name? Rows without a target would be left out.
void refuse_doubtful_target(const Table& table, const Column& target, const EncodingOptions& options,
                            const std::set<double>& values) {
  if (target.stray.line != 0)
    throw InputError(
        fmt::format("{}, line {}, column '{}': '{}' is not a number, as the other targets are: correct it or write NA; "
                    "or name {} among the categorical ones",
                    table.path, target.stray.line, target.name, target.stray.text, target.name));
  if (target.blank_number.line == 0 || options.task == Task::regression) return;
  if (!options.task && (values.size() > plausible_classes || !all_whole(values))) return;
  throw InputError(
      fmt::format("{}, line {}, column '{}': is '{}' a missing number or a class? Write NA, or give task regression; "
                  "or name {} among the categorical ones",
                  table.path, target.blank_number.line, target.name, target.blank_number.text, target.name));
}

// Numbers in a spelling that is not read, such as 12 ± 3, would make each row a class of its own.
void refuse_accidental_classes(const Table& table, const Column& target, std::span<const std::size_t> rows) {
  const std::vector<std::size_t> counts = level_counts(target, rows);
  std::size_t classes = 0, numbers = 0;
  const std::string* example = nullptr;
  for (std::size_t level = 0; level < counts.size(); ++level) {
    if (counts[level] == 0) continue;
    ++classes;
    if (parse_number(target.levels[level]))
      numbers += counts[level];
    else if (!example)
      example = &target.levels[level];
  }
  if (classes > most_classes || classes <= plausible_classes || !example ||
      (2 * classes <= rows.size() && 2 * numbers <= rows.size()))
    return;
  throw InputError(
      fmt::format("{}: the target '{}' has {} different texts in {} rows, such as '{}': write plain numbers for a "
                  "regression, or give task classification",
                  table.path, target.name, classes, rows.size(), *example));
}

}  // namespace

Encoding Encoding::learn(const Table& table, const EncodingOptions& options, std::vector<std::string>& notes,
                         Rows rows) {
  const Column* target = table.find(options.target);
  if (!target)
    throw InputError(fmt::format("{}: no column '{}' for the target; {}", table.path, options.target,
                                 known_columns(options.target, table.column_names())));
  std::vector<std::size_t> training = selected_rows(table, rows);
  const std::size_t listed = training.size();
  if (options.missing_is_error)
    for (const Column& column : table.columns) refuse_missing(table, column, training);
  const std::size_t dropped = drop_missing(*target, training);
  if (dropped > 0 && training.empty())
    throw InputError(fmt::format("{}: all {} values of the target '{}' are missing", table.path, listed, target->name));
  if (dropped > 0)
    notes.push_back(fmt::format("{} of {} rows have no target '{}' and are left out", dropped, listed, target->name));
  if (training.size() < least_rows)
    throw InputError(fmt::format("{}: {} training rows with a target; at least {} are needed", table.path,
                                 training.size(), least_rows));

  Encoding encoding;
  encoding.missing_is_error_ = options.missing_is_error;
  encoding.decimal_commas_ = std::ranges::any_of(table.columns, [](const Column& column) {
    return column.form.number.plain() && column.form.number.decimal == ',';
  });
  encoding.learn_target(table, *target, options, training, notes);

  std::vector<std::string> constant;
  for (const Column& column : table.columns) {
    if (&column == target) continue;
    const std::size_t notes_before = notes.size();
    Source source = learn_source(table, column, training, options.max_levels, notes);
    if (!source.features.empty()) {
      if (const auto missing =
              std::count_if(training.begin(), training.end(), [&](std::size_t row) { return column.missing(row); });
          missing > 0)
        notes.push_back(
            fmt::format("'{}': {} of {} cells are missing; {} stands in, and an input '{}:missing' says where",
                        column.name, missing, training.size(),
                        column.kind == ColumnKind::categorical ? "no category" : "the mean", column.name));
      if (counts_rows(column, training))
        notes.push_back(
            fmt::format("'{}' goes up by one from row to row: if it only numbers them, leave it out with ignore {}",
                        column.name, column.name));
      if (const auto copy = target_copy(table, column, *target, encoding.task_, training)) notes.push_back(*copy);
      encoding.sources_.push_back(std::move(source));
    } else if (notes.size() == notes_before) {  // else the note has said why it is dropped
      constant.push_back(column.name);
    }
  }
  if (!constant.empty())
    notes.push_back(fmt::format("dropped, for they are the same in all training rows: {}", list_names(constant)));
  if (encoding.sources_.empty() && options.inputs_required)
    throw InputError(
        fmt::format("{}: no usable input columns beside the target '{}'; expected at least one that varies and "
                    "is not an identifier",
                    table.path, target->name));
  encoding.name_inputs();
  return encoding;
}

void Encoding::learn_target(const Table& table, const Column& target, const EncodingOptions& options,
                            std::span<const std::size_t> rows, std::vector<std::string>& notes) {
  if (target.kind == ColumnKind::date)
    throw InputError(
        fmt::format("{}: the target '{}' holds dates, such as {}; expected a number or a class (named among the "
                    "categorical ones, each date is a class)",
                    table.path, target.name, target.text(rows[0])));
  const bool numeric = target.kind == ColumnKind::numeric || (target.digits && options.task != Task::classification);
  target_ = target.name;
  target_kind_ = numeric ? ColumnKind::numeric : ColumnKind::categorical;
  target_format_ = target.form.number;
  const NumberCells number(table, target, "expected numbers for a regression (task classification takes classes)");
  const std::set<double> values = numeric ? distinct_values(number, rows) : std::set<double>();
  refuse_doubtful_target(table, target, options, values);

  if (options.task) {
    task_ = *options.task;
  } else if (!numeric) {
    refuse_accidental_classes(table, target, rows);
    task_ = Task::classification;
  } else if (values.size() == 2 && all_whole(values)) {
    task_ = Task::classification;
    notes.push_back(fmt::format("target '{}' is {} or {}: taken as two classes (task regression takes a number)",
                                target.name, format_number(*values.begin()), format_number(*values.rbegin())));
  } else {
    task_ = Task::regression;
    if (values.size() > 2 && values.size() <= 10 && 2 * values.size() <= rows.size() && all_whole(values))
      notes.push_back(
          fmt::format("target '{}' has only {} distinct values: taken as a number (task classification "
                      "takes classes)",
                      target.name, values.size()));
  }

  if (task_ == Task::regression) {
    const Moments scale = moments(number, rows);
    if (scale.constant)
      throw InputError(fmt::format("{}: the target '{}' is {} in all {} training rows; there is nothing to learn",
                                   table.path, target.name, target.text(rows[0]), rows.size()));
    if (options.scale_target) {
      target_mean_ = scale.mean;
      target_sd_ = scale.sd;
    }
    return;
  }

  if (numeric) {
    for (const double value : values) labels_.push_back(format_number(value));
  } else {
    const std::vector<std::size_t> counts = level_counts(target, rows);
    for (std::size_t level = 0; level < counts.size(); ++level)
      if (counts[level] > 0) labels_.push_back(target.levels[level]);
  }
  if (labels_.size() == 1)
    throw InputError(fmt::format("{}: the target '{}' has one class only, '{}'; at least two are needed", table.path,
                                 target.name, labels_[0]));
  if (labels_.size() > most_classes)
    throw InputError(fmt::format(
        "{}: the target '{}' has more than {} classes{}", table.path, target.name, most_classes,
        numeric ? "; task regression takes a number"
                : fmt::format(": is '{}' an identifier, or a number that is spelled otherwise?", labels_[0])));
}

Encoding::Source Encoding::learn_source(const Table& table, const Column& column, std::span<const std::size_t> rows,
                                        std::size_t max_levels, std::vector<std::string>& notes) {
  switch (column.kind) {
    case ColumnKind::numeric:
      return learn_numeric(table, column, rows);
    case ColumnKind::date:
      return learn_dates(column, rows, notes);
    default:
      return learn_categorical(column, rows, max_levels, notes);
  }
}

void Encoding::add_missing(Source& source, std::size_t known, std::size_t rows) {
  if (known == 0 || known == rows) return;
  const double share = 1 - static_cast<double>(known) / static_cast<double>(rows);
  source.features.push_back({Feature::Role::missing, -1, share, std::sqrt(share * (1 - share))});
}

Encoding::Source Encoding::learn_numeric(const Table& table, const Column& column, std::span<const std::size_t> rows) {
  Source source{column.name, ColumnKind::numeric, {}, false, {}, column.form};
  const Moments scale = moments(NumberCells(table, column, ""), rows);
  if (!scale.constant) source.features.push_back({Feature::Role::value, -1, scale.mean, scale.sd});
  // Even beside a constant, whether the cell was filled in may tell something; a column that is never filled in does
  // not.
  add_missing(source, scale.count, rows.size());
  return source;
}

Encoding::Source Encoding::learn_categorical(const Column& column, std::span<const std::size_t> rows,
                                             std::size_t max_levels, std::vector<std::string>& notes) {
  Source source{column.name, ColumnKind::categorical, {}, false, {}};
  const std::vector<std::size_t> counts = level_counts(column, rows);
  std::vector<std::size_t> levels;  // those that the training rows hold
  for (std::size_t level = 0; level < counts.size(); ++level)
    if (counts[level] > 0) levels.push_back(level);

  if (levels.size() > identifier_levels && 2 * levels.size() > rows.size()) {
    const auto numbers =
        std::ranges::count_if(levels, [&](std::size_t level) { return take_apart(column.levels[level]).has_value(); });
    notes.push_back(fmt::format(
        "dropped '{}': {} different texts in {} rows look like an identifier{}", column.name, levels.size(),
        rows.size(),
        2 * static_cast<std::size_t>(numbers) > levels.size() ? "; if they are numbers, write them in one unit" : ""));
    return source;
  }
  if (levels.size() > max_levels) {
    notes.push_back(
        fmt::format("column '{}' has {} categories: the {} most frequent are kept, the others taken together",
                    column.name, levels.size(), max_levels));
    // Stable, so that among equals the first in order stay, whatever the library.
    std::stable_sort(levels.begin(), levels.end(), [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
    levels.resize(max_levels);
    std::sort(levels.begin(), levels.end());
    source.rare_levels_dropped = true;
  }

  const auto all = static_cast<double>(rows.size());
  const auto add = [&](Feature::Role role, std::int32_t level, std::size_t count) {
    const double share = static_cast<double>(count) / all;
    source.features.push_back({role, level, share, std::sqrt(share * (1 - share))});
  };
  const std::size_t seen = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  for (const std::size_t level : levels) source.levels.push_back(column.levels[level]);
  // Of two levels the second says all; of one, only its absence can tell. Beside others, taken together, each tells.
  const std::size_t first = levels.size() <= 2 && !source.rare_levels_dropped ? 1 : 0;
  for (std::size_t i = first; i < levels.size(); ++i)
    add(Feature::Role::level, static_cast<std::int32_t>(i), counts[levels[i]]);
  if (seen > 0 && seen < rows.size()) add(Feature::Role::missing, -1, rows.size() - seen);
  return source;
}

std::string Encoding::input_name(const Source& source, const Feature& feature) {
  static constexpr std::array weekdays{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
  switch (feature.role) {
    case Feature::Role::level:
      return source.name + "=" + source.levels[static_cast<std::size_t>(feature.level)];
    case Feature::Role::weekday:
      return source.name + ":weekday=" + weekdays[static_cast<std::size_t>(feature.level)];
    case Feature::Role::value:
      return source.name;
    default:
      return source.name + ":" + name_of(feature.role);
  }
}

void Encoding::name_inputs() {
  input_names_.clear();
  for (const Source& source : sources_)
    for (const Feature& feature : source.features) input_names_.push_back(input_name(source, feature));
}

}  // namespace mbnn
