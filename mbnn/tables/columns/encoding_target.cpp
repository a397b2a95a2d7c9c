// What the target is: numbers to be scaled, or classes; and what makes neither.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "mbnn/core/error.h"
#include "mbnn/tables/columns/cell.h"
#include "mbnn/tables/columns/column_statistics.h"
#include "mbnn/tables/columns/encoding.h"
#include "mbnn/tables/columns/row_selection.h"

namespace mbnn {
namespace {

constexpr std::size_t most_classes = 100;
constexpr std::size_t plausible_classes = 10;

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

}  // namespace mbnn
