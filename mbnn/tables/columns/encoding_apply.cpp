// Applies a learnt encoding to a table, column by column.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "mbnn/core/error.h"
#include "mbnn/core/known_names.h"
#include "mbnn/tables/columns/cell.h"
#include "mbnn/tables/columns/encoding.h"
#include "mbnn/tables/columns/row_selection.h"

namespace mbnn {
namespace {

// A value so far from the training rows that single precision overflows would poison every sum it enters.
float scaled(double value, double mean, double sd, const Table& table, const Column& column, std::size_t row) {
  const auto result = static_cast<float>((value - mean) / sd);
  if (!std::isfinite(result))
    throw InputError(fmt::format("{}: {} is too far from the training rows (mean {}, standard deviation {})",
                                 table.place(row, column.name), value, mean, sd));
  return result;
}

// " in $, such as 1,234.5": how numbers were written, if not as programs do.
std::string spelling_of(const NumberFormat& format) {
  if (format.plain()) return "";
  return fmt::format("{} such as 1{}234{}5", format.unit.empty() ? "" : " in " + format.unit + ",", format.group,
                     format.decimal);
}

std::string order_of(const DateFormat& format) {
  if (format.order == DayOrder::day_first) return " such as 31/12/2021";
  return format.order == DayOrder::month_first ? " such as 12/31/2021" : "";
}

// By moves from empty vectors: `= {}` and clear() keep the memory.
void free_cells(Column& column) {
  column.numbers = std::vector<double>();
  column.codes = std::vector<std::int32_t>();
  column.levels = std::vector<std::string>();
}

}  // namespace

bool Encoding::Feature::indicates() const {
  return role == Role::level || role == Role::missing || role == Role::weekday;
}

Dataset Encoding::encode(const Table& table, Needs needs, std::vector<std::string>& notes, Rows rows) const {
  return encode_columns(table, nullptr, needs, notes, rows);
}

Dataset Encoding::encode(Table&& table, Needs needs, std::vector<std::string>& notes, Rows rows) const {
  return encode_columns(table, &table, needs, notes, rows);
}

TableOptions Encoding::table_options() const {
  TableOptions options;
  options.ignore_absent = true;
  options.decimal_commas = decimal_commas_;
  options.judge_texts = false;
  const auto expect = [&](const std::string& name, ColumnKind kind, const NumberFormat& format) {
    if (kind == ColumnKind::categorical) options.categorical.push_back(name);
    if (kind == ColumnKind::date || !format.plain()) options.spelled.push_back(name);
  };
  for (const Source& source : sources_) expect(source.name, source.kind, source.form.number);
  expect(target_, target_kind_, target_format_);
  return options;
}

NumberCells Encoding::target_numbers(const Table& table, const Column& column) const {
  return NumberCells(table, column, "expected numbers as in the training table" + spelling_of(target_format_),
                     ColumnKind::numeric, {target_format_, {}});
}

Dataset Encoding::encode_columns(const Table& table, Table* consumed, Needs needs, std::vector<std::string>& notes,
                                 Rows rows) const {
  const std::vector<const Column*> columns = match_columns(table, needs);
  const Column* const target = columns[0];
  std::vector<std::size_t> chosen = selected_rows(table, rows);
  if (missing_is_error_)
    for (const Column* column : columns)
      if (column) refuse_missing(table, *column, chosen);
  if (target) {
    const std::size_t listed = chosen.size();
    const std::size_t dropped = drop_missing(*target, chosen);
    if (chosen.empty())
      throw InputError(fmt::format("{}: no rows with a value of the target '{}'", table.path, target_));
    if (dropped > 0)
      notes.push_back(fmt::format("{} of {} rows have no target '{}' and are left out", dropped, listed, target_));
  }

  if (consumed) {  // what the encoding does not use may go at once
    const std::unordered_set<const Column*> used(columns.begin(), columns.end());
    for (Column& column : consumed->columns)
      if (!used.contains(&column)) free_cells(column);
  }
  const auto release = [&](const Column* column) {
    if (consumed) free_cells(consumed->columns[static_cast<std::size_t>(column - table.columns.data())]);
  };

  Dataset data;
  data.rows = chosen.size();
  data.inputs = inputs();
  if (target) {
    encode_target(table, *target, chosen, data);
    release(target);
  }
  // A numeric column shrinks when it is encoded. Those of a consumed table are therefore encoded aside and freed before
  // the dataset takes its memory, so that doubles and dataset never stand side by side.
  std::vector<std::vector<float>> aside(sources_.size());
  for (std::size_t i = 0; consumed && i < sources_.size(); ++i) {
    if (sources_[i].kind == ColumnKind::categorical) continue;
    const std::size_t width = sources_[i].features.size();
    aside[i].resize(data.rows * width);
    encode_source(sources_[i], table, *columns[i + 1], chosen, aside[i].data(), width, notes);
    release(columns[i + 1]);
  }
  data.x.resize(data.rows * data.inputs);
  float* first = data.x.data();
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const std::size_t width = sources_[i].features.size();
    if (aside[i].empty()) {
      encode_source(sources_[i], table, *columns[i + 1], chosen, first, data.inputs, notes);
      release(columns[i + 1]);
    } else {
      for (std::size_t row = 0; row < data.rows; ++row)
        std::copy_n(aside[i].data() + row * width, width, first + row * data.inputs);
      aside[i] = std::vector<float>();
    }
    first += width;
  }
  return data;
}

std::vector<const Column*> Encoding::match_columns(const Table& table, Needs needs) const {
  std::unordered_map<std::string_view, const Column*> by_name;
  for (const Column& column : table.columns) by_name.emplace(column.name, &column);
  std::vector<const Column*> columns;
  std::vector<std::string> absent;
  const auto match = [&](const std::string& name) {
    const auto found = by_name.find(name);
    columns.push_back(found == by_name.end() ? nullptr : found->second);
    if (found == by_name.end()) absent.push_back(name);
  };
  if (needs == Needs::inputs_and_target) {
    match(target_);
  } else {
    columns.push_back(nullptr);
  }
  for (const Source& source : sources_) match(source.name);
  if (!absent.empty())
    throw InputError(fmt::format("{}: lacks {} of the columns of the training table: {} (its columns are {})",
                                 table.path, absent.size(), list_names(absent), list_names(table.column_names())));
  return columns;
}

void Encoding::encode_target(const Table& table, const Column& column, std::span<const std::size_t> rows,
                             Dataset& data) const {
  if (task_ == Task::regression) {
    const NumberCells number = target_numbers(table, column);
    data.y.reserve(rows.size());
    for (const std::size_t row : rows)
      data.y.push_back(scaled(number(row), target_mean_, target_sd_, table, column, row));
    return;
  }
  Column spelled;  // labels that are numbers: in the spelling of the training table
  if (target_kind_ == ColumnKind::numeric && !target_format_.plain() && column.kind == ColumnKind::categorical) {
    const NumberCells number = target_numbers(table, column);
    spelled.numbers.assign(table.rows, std::numeric_limits<double>::quiet_NaN());
    for (const std::size_t row : rows) spelled.numbers[row] = number(row);
  }
  const LevelCells label(spelled.numbers.empty() ? column : spelled, labels_);
  data.labels.reserve(rows.size());
  for (const std::size_t row : rows) {
    data.labels.push_back(label(row));
    if (data.labels.back() < 0)
      throw InputError(fmt::format("{}: label '{}' was not among the training labels {}", table.place(row, column.name),
                                   column.text(row), list_names(labels_)));
  }
}

void Encoding::encode_source(const Source& source, const Table& table, const Column& column,
                             std::span<const std::size_t> rows, float* first, std::size_t stride,
                             std::vector<std::string>& notes) const {
  // What a cell that is neither missing nor any kept level looks like; each row differs from it in few places.
  std::vector<float> zeros;
  for (const Feature& feature : source.features)
    zeros.push_back(feature.indicates() ? static_cast<float>(-feature.mean / feature.sd) : 0.0f);
  // The input that a level or a missing cell switches on; -1 if none does.
  std::vector<int> input_of_level(source.levels.size(), -1);
  int missing_input = -1;
  for (std::size_t i = 0; i < source.features.size(); ++i) {
    const Feature& feature = source.features[i];
    if (feature.role == Feature::Role::level)
      input_of_level[static_cast<std::size_t>(feature.level)] = static_cast<int>(i);
    if (feature.role == Feature::Role::missing) missing_input = static_cast<int>(i);
  }
  const auto switch_on = [&](float* out, int input) {
    if (input < 0) return;
    const Feature& feature = source.features[static_cast<std::size_t>(input)];
    out[input] = static_cast<float>((1 - feature.mean) / feature.sd);
  };

  std::size_t missing = 0, unknown = 0, held = 0;
  float* out = first;
  if (source.kind != ColumnKind::categorical) {
    const bool dates = source.kind == ColumnKind::date;
    const NumberCells number(
        table, column,
        "in the training table the column held " +
            (dates ? "dates" + order_of(source.form.date) : "numbers" + spelling_of(source.form.number)),
        source.kind, source.form);
    const int values = missing_input < 0 ? static_cast<int>(source.features.size()) : missing_input;  // that comes last
    for (const std::size_t row : rows) {
      std::copy(zeros.begin(), zeros.end(), out);
      const double value = number(row);
      if (std::isnan(value)) {  // the mean, which is zero when scaled
        ++missing;
        switch_on(out, missing_input);
      } else {
        for (int i = 0; i < values; ++i) {
          const Feature& feature = source.features[static_cast<std::size_t>(i)];
          const double raw = dates ? date_value(source, feature, value) : value;
          held += feature.role == Feature::Role::value && raw != value;
          out[i] = scaled(raw, feature.mean, feature.sd, table, column, row);
        }
      }
      out += stride;
    }
  } else {
    const LevelCells level(column, source.levels);
    // With all zeros a cell of no known level would pass for the first of two: there it takes their mean instead.
    const bool zeros_mean_first_level = source.levels.size() == 2 && !source.rare_levels_dropped;
    for (const std::size_t row : rows) {
      std::copy(zeros.begin(), zeros.end(), out);
      const std::int32_t place = level(row);
      missing += place == LevelCells::missing;
      unknown += place == LevelCells::unknown;
      if (place >= 0) {
        switch_on(out, input_of_level[static_cast<std::size_t>(place)]);
      } else if (place == LevelCells::missing && missing_input >= 0) {
        switch_on(out, missing_input);
      } else if (zeros_mean_first_level) {
        out[0] = 0;
      }
      out += stride;
    }
  }

  if (missing > 0 && missing_input < 0)
    notes.push_back(
        fmt::format("column '{}': {} missing cells, none in training; {}", column.name, missing,
                    source.kind == ColumnKind::categorical ? "encoded as no category" : "the training mean stands in"));
  if (held > 0)
    notes.push_back(
        fmt::format("column '{}': {} cells lie further from the training table's than those lie apart; their trend is "
                    "held where it is as far",
                    column.name, held));
  if (unknown > 0)
    notes.push_back(
        fmt::format("column '{}': {} cells hold a category {}; encoded as no category", column.name, unknown,
                    source.rare_levels_dropped ? "not among those kept from training" : "not seen in training"));
}

}  // namespace mbnn
