// Learns an encoding: which columns are of use, and their levels, means and deviations.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "mbnn/core/error.h"
#include "mbnn/core/known_names.h"
#include "mbnn/core/names.h"
#include "mbnn/tables/columns/column_statistics.h"
#include "mbnn/tables/columns/encoding.h"
#include "mbnn/tables/columns/number_format.h"
#include "mbnn/tables/columns/row_selection.h"
#include "mbnn/tables/columns/target_copy.h"

namespace mbnn {
namespace {

constexpr std::size_t least_rows = 5;
constexpr std::size_t identifier_levels =
    50;  // a column with more, most of them seen once, tells rows apart and no more

bool counts_rows(const Column& column, std::span<const std::size_t> rows) {
  if (column.kind != ColumnKind::numeric) return false;
  const auto offset = [&](std::size_t row) { return column.numbers[row] - static_cast<double>(row); };
  return std::all_of(rows.begin(), rows.end(), [&](std::size_t row) { return offset(row) == offset(rows[0]); });
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
