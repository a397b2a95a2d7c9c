// Columns and tables in memory, and what an encoding learns from them.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "mbnn/core/error.h"
#include "mbnn/tables/columns/cell_form.h"
#include "mbnn/tables/columns/encoding.h"

namespace mbnn::encodings {

inline constexpr double missing = std::numeric_limits<double>::quiet_NaN();
inline constexpr auto with_target = Encoding::Needs::inputs_and_target;
inline constexpr auto inputs_only = Encoding::Needs::inputs;

inline Column numbers(std::string name, std::vector<double> values) {
  Column column;
  column.name = std::move(name);
  column.numbers = std::move(values);
  return column;
}

inline Column texts(std::string name, const std::vector<std::string>& cells) {  // "" = missing
  Column column;
  column.name = std::move(name);
  column.kind = ColumnKind::categorical;
  column.levels = cells;
  std::sort(column.levels.begin(), column.levels.end());
  column.levels.erase(std::unique(column.levels.begin(), column.levels.end()), column.levels.end());
  std::erase(column.levels, "");
  for (const std::string& cell : cells) {
    const auto place = std::lower_bound(column.levels.begin(), column.levels.end(), cell) - column.levels.begin();
    column.codes.push_back(cell.empty() ? -1 : static_cast<std::int32_t>(place));
  }
  return column;
}

inline Column dates(std::string name, const std::vector<std::string>& cells) {
  Column column;
  column.name = std::move(name);
  column.kind = ColumnKind::date;
  column.form.date.clock = cells[0][2] == ':';
  for (const std::string& cell : cells) column.numbers.push_back(column.form.date.read(cell).value_or(missing));
  return column;
}

inline Table table_of(std::vector<Column> columns) {
  Table table;
  table.path = "t.csv";
  table.rows = std::max(columns[0].numbers.size(), columns[0].codes.size());
  table.columns = std::move(columns);
  table.line_runs = {{0, 2}};  // a header, then a row a line
  return table;
}

struct Learnt {
  Encoding encoding;
  std::vector<std::string> notes;
};

inline Learnt learn(const Table& table, EncodingOptions options = {}, Encoding::Rows rows = {}) {
  if (options.target.empty()) options.target = "y";
  std::vector<std::string> notes;
  Encoding encoding = Encoding::learn(table, options, notes, rows);
  return {std::move(encoding), std::move(notes)};
}

template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

inline std::string learn_error(std::vector<Column> columns, EncodingOptions options = {}) {
  return error_of([&] { learn(table_of(std::move(columns)), options); });
}

inline std::vector<float> input(const Dataset& data, std::size_t which) {
  std::vector<float> values;
  for (std::size_t row = 0; row < data.rows; ++row) values.push_back(data.x[row * data.inputs + which]);
  return values;
}

inline const Column y6 = numbers("y", {1, 2, 3, 4, 5, 7});
inline const Column x6 = numbers("x", {2, 4, 4, 4, 8, 8});

}  // namespace mbnn::encodings
