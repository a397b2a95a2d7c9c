// Later files need not have the kinds of the training file: these readers settle the difference in one place.
#include "mbnn/tables/columns/row_selection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "mbnn/core/error.h"
#include "mbnn/tables/columns/cell.h"

namespace mbnn {

std::vector<std::size_t> selected_rows(const Table& table, std::optional<std::span<const std::size_t>> rows) {
  if (rows) {
    for (const std::size_t row : *rows) require(row < table.rows, "row", row, "must be a row of the table");
    return {rows->begin(), rows->end()};
  }
  std::vector<std::size_t> all(table.rows);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

void refuse_missing(const Table& table, const Column& column, std::span<const std::size_t> rows) {
  for (const std::size_t row : rows) {
    if (!column.missing(row)) continue;
    const std::size_t line = table.line_of(row);
    for (const Cell& cell : {column.stray, column.blank_number})
      if (cell.line != 0 && cell.line == line)
        throw InputError(fmt::format("{}: '{}' is read as missing, for all else is {}; expected a value",
                                     table.place(row, column.name), cell.text,
                                     column.kind == ColumnKind::date ? "dates" : "numbers"));
    throw InputError(table.place(row, column.name) + ": the cell is missing; expected a value");
  }
}

std::size_t drop_missing(const Column& column, std::vector<std::size_t>& rows) {
  return std::erase_if(rows, [&](std::size_t row) { return column.missing(row); });
}

NumberCells::NumberCells(const Table& table, const Column& column, std::string expected, ColumnKind kind,
                         const CellForm& form)
    : table_(table), column_(column), expected_(std::move(expected)), kind_(kind), form_(form) {
  for (const std::string& level : column.levels) {
    auto value = kind == ColumnKind::date ? form.date.read(level) : form.number.read(level);
    if (value && !std::isfinite(*value)) value.reset();
    level_values_.push_back(value);
  }
}

double NumberCells::operator()(std::size_t row) const {
  if (column_.kind == kind_) return column_.numbers[row];
  if (column_.missing(row)) return std::numeric_limits<double>::quiet_NaN();
  std::optional<double> value;
  if (column_.kind == ColumnKind::categorical)
    value = level_values_[static_cast<std::size_t>(column_.codes[row])];
  else if (kind_ == ColumnKind::date)  // 2019
    value = form_.date.read(column_.text(row));
  if (value) return *value;
  throw InputError(fmt::format("{}: '{}' is not a {}; {}", table_.place(row, column_.name), column_.text(row),
                               kind_ == ColumnKind::date ? "date" : "number", expected_));
}

LevelCells::LevelCells(const Column& column, std::span<const std::string> levels) : column_(column) {
  std::unordered_map<std::string_view, std::int32_t> by_text;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto place = static_cast<std::int32_t>(i);
    by_text.emplace(levels[i], place);
    if (const auto number = parse_number(levels[i]); number && !std::isnan(*number))
      by_number_.emplace_back(*number, place);
  }
  std::sort(by_number_.begin(), by_number_.end());
  for (const std::string& level : column.levels) {
    const auto found = by_text.find(level);
    const auto number = parse_number(level);
    by_code_.push_back(found != by_text.end() ? found->second : number ? find(*number) : unknown);
  }
}

std::int32_t LevelCells::find(double number) const {
  const auto found = std::lower_bound(by_number_.begin(), by_number_.end(), number,
                                      [](const auto& entry, double wanted) { return entry.first < wanted; });
  return found != by_number_.end() && found->first == number ? found->second : unknown;
}

std::int32_t LevelCells::operator()(std::size_t row) const {
  if (column_.missing(row)) return missing;
  if (column_.kind == ColumnKind::numeric) return find(column_.numbers[row]);
  if (column_.kind == ColumnKind::date) return unknown;
  return by_code_[static_cast<std::size_t>(column_.codes[row])];
}

}  // namespace mbnn
