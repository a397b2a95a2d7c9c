// Looking things up in a table, and naming places in it.
#include "mbnn/data/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "mbnn/data/cell.h"

namespace mbnn {

bool Column::missing(std::size_t row) const {
  return kind == ColumnKind::numeric ? std::isnan(numbers[row]) : codes[row] < 0;
}

std::string Column::text(std::size_t row) const {
  if (missing(row)) return "";
  return kind == ColumnKind::numeric ? format_number(numbers[row]) : levels[static_cast<std::size_t>(codes[row])];
}

int Table::index_of(std::string_view name) const {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
  if (found != columns.end()) return static_cast<int>(found - columns.begin());
  if (header) return -1;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool whole = error == std::errc() && end == name.data() + name.size();
  return whole && number >= 1 && number <= columns.size() ? static_cast<int>(number) - 1 : -1;
}

const Column* Table::find(std::string_view name) const {
  const int index = index_of(name);
  return index < 0 ? nullptr : &columns[static_cast<std::size_t>(index)];
}

std::vector<std::string> Table::column_names() const {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(column.name);
  return names;
}

std::string Table::place(std::size_t row, std::string_view column) const {
  const auto after = std::upper_bound(line_runs.begin(), line_runs.end(), row,
                                      [](std::size_t r, const LineRun& run) { return r < run.row; });
  if (after == line_runs.begin()) return fmt::format("row {}, column '{}'", row + 1, column);
  const LineRun& run = after[-1];
  return fmt::format("{}, line {}, column '{}'", path, run.line + (row - run.row), column);
}

}  // namespace mbnn
