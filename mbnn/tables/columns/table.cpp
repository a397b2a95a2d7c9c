// Looking things up in a table, and naming places in it.
#include "mbnn/tables/columns/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mbnn/core/error.h"
#include "mbnn/tables/columns/cell.h"

namespace mbnn {

bool Column::missing(std::size_t row) const {
  return kind == ColumnKind::categorical ? codes[row] < 0 : std::isnan(numbers[row]);
}

std::string Column::text(std::size_t row) const {
  if (missing(row)) return "";
  switch (kind) {
    case ColumnKind::numeric:
      return format_number(numbers[row]);
    case ColumnKind::date:
      return form.date.text_of(numbers[row]);
    default:
      return levels[static_cast<std::size_t>(codes[row])];
  }
}

int Table::index_of(std::string_view name) const {
  const auto place = [&](std::string_view wanted) {
    const auto found = std::ranges::find(columns, wanted, &Column::name);
    return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
  };
  const int as_named = place(name);
  return as_named < 0 && !header ? place(fmt::format("x{}", name)) : as_named;
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

std::size_t Table::line_of(std::size_t row) const {
  const auto after = std::upper_bound(line_runs.begin(), line_runs.end(), row,
                                      [](std::size_t r, const LineRun& run) { return r < run.row; });
  return after == line_runs.begin() ? 0 : after[-1].line + (row - after[-1].row);
}

std::string Table::place(std::size_t row, std::string_view column) const {
  const std::size_t line = line_of(row);
  if (line == 0) return fmt::format("row {}, column '{}'", row + 1, column);
  return fmt::format("{}, line {}, column '{}'", path, line, column);
}

void TableOptions::refuse_ignored(const std::string& name, std::string_view what) const {
  if (std::ranges::find(ignore, name) != ignore.end())
    throw OptionError("ignore", fmt::format(" = {}: it is {}", name, what));
}

}  // namespace mbnn
