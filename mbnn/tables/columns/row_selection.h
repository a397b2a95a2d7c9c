// Which rows of a table take part, and what their cells are, whatever the kind of the column.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mbnn/tables/columns/table.h"

namespace mbnn {

// The listed rows, or all; refuses a row beyond the table.
std::vector<std::size_t> selected_rows(const Table& table, std::optional<std::span<const std::size_t>> rows);

// Raises the first missing cell among the rows, by its place in the file.
void refuse_missing(const Table& table, const Column& column, std::span<const std::size_t> rows);

// Removes the rows without a value in the column; returns how many.
std::size_t drop_missing(const Column& column, std::vector<std::size_t>& rows);

// Reads a column as numbers, or as dates in seconds: its own, or what its texts spell in a form. A text that is none
// raises an error that names its place and ends in `expected`.
class NumberCells {
 public:
  NumberCells(const Table& table, const Column& column, std::string expected, ColumnKind kind = ColumnKind::numeric,
              const CellForm& form = {});
  double operator()(std::size_t row) const;

 private:
  const Table& table_;
  const Column& column_;
  std::string expected_;
  ColumnKind kind_;
  CellForm form_;
  std::vector<std::optional<double>> level_values_;
};

// Reads a column as places in a list of levels. A level that spells a number also matches that number in another
// spelling, for a column of categories 1, 2, x may look numeric in a later file.
class LevelCells {
 public:
  static constexpr std::int32_t missing = -1;
  static constexpr std::int32_t unknown = -2;

  LevelCells(const Column& column, std::span<const std::string> levels);
  std::int32_t operator()(std::size_t row) const;

 private:
  std::int32_t find(double number) const;

  const Column& column_;
  std::vector<std::pair<double, std::int32_t>> by_number_;  // sorted
  std::vector<std::int32_t> by_code_;
};

}  // namespace mbnn
