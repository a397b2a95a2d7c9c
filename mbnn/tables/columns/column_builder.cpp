// What a cell means depends on its column: the judgement is here, the splitting is not.
#include "mbnn/tables/columns/column_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "mbnn/core/error.h"
#include "mbnn/tables/columns/cell.h"

namespace mbnn {

void ColumnBuilder::see_separators(std::string_view cell, std::size_t line, double number, bool with_comma) {
  if (!std::isfinite(number)) return;
  if (with_comma) {
    comma_.see(cell, line);
    const bool looks_like_thousands =
        cell.size() >= 5 && cell[cell.size() - 4] == ',' && std::abs(number) >= 1 && std::abs(number) < 1000;
    if (!looks_like_thousands) thousands_excluded_ = true;
  } else if (cell.find('.') != cell.npos) {
    point_.see(cell, line);
  } else if (std::abs(number) < 1000) {
    small_whole_.see(cell, line);
  } else {
    thousands_excluded_ = true;
  }
}

bool ColumnBuilder::read_number(std::string_view cell, std::size_t line, char delimiter, double& value) {
  std::optional<double> number = parse_number(cell);
  if (delimiter != ',') {  // elsewhere a comma never reaches a cell without quotes
    const bool with_comma = !number && cell.find(',') != cell.npos;
    if (with_comma) number = parse_number(cell, ',');
    if (number) see_separators(cell, line, *number, with_comma);
  }
  if (!number && !is_missing(cell)) {
    if (!is_blank_number(cell)) return false;
    blank_number_.see(cell, line);
  }
  number_seen_ = number_seen_ || number;
  value = number.value_or(std::numeric_limits<double>::quiet_NaN());
  if (std::isinf(value)) infinity_.see(cell, line);
  return true;
}

void ColumnBuilder::turn_to_text(std::string_view cell, std::size_t line) {
  text_.see(cell, line);
  kind_ = ColumnKind::categorical;
  incomplete_ = !numbers_.empty();
  numbers_ = std::vector<double>();  // `= {}` would keep the memory
}

void ColumnBuilder::look(std::string_view cell, std::size_t line, char delimiter) {
  double ignored;
  if (kind_ == ColumnKind::numeric && !required_ && !read_number(cell, line, delimiter, ignored))
    turn_to_text(cell, line);
}

void ColumnBuilder::add(std::string_view cell, std::size_t line, char delimiter) {
  if (kind_ == ColumnKind::numeric) {
    double value;
    if (read_number(cell, line, delimiter, value)) {
      numbers_.push_back(value);
      return;
    }
    if (required_)
      throw InputError(
          fmt::format("{}, line {}, column '{}': '{}' is not a number, but the column was named as numeric", path_,
                      line, name_, cell));
    turn_to_text(cell, line);
  }
  if (!incomplete_) add_text(cell);
}

void ColumnBuilder::add_text(std::string_view cell) {
  if (is_missing(cell)) {
    codes_.push_back(-1);
    return;
  }
  auto found = dictionary_.find(cell);
  if (found == dictionary_.end())
    found = dictionary_.emplace(std::string(cell), static_cast<std::int32_t>(dictionary_.size())).first;
  codes_.push_back(found->second);
}

void ColumnBuilder::start_again() { incomplete_ = false; }

void ColumnBuilder::reserve(std::size_t rows) {
  if (kind_ == ColumnKind::numeric) {
    numbers_.reserve(rows);
  } else if (!incomplete_) {
    codes_.reserve(rows);
  }
}

Column ColumnBuilder::finish(std::vector<std::string>& notes) {
  Column column;
  column.name = name_;
  column.kind = kind_;
  if (kind_ == ColumnKind::numeric) {
    if (infinity_.line != 0)
      throw InputError(
          fmt::format("{}, line {}, column '{}': '{}' is infinite; expected a finite number, or NA if it is "
                      "not known",
                      path_, infinity_.line, name_, infinity_.cell));
    refuse_doubtful_commas();
    if (blank_number_.line != 0 && number_seen_)
      notes.push_back(fmt::format("'{}': '{}' on line {} is read as missing, for all else is numbers", name_,
                                  blank_number_.cell, blank_number_.line));
    column.numbers = std::move(numbers_);
    column.decimal_commas = comma_.line != 0;
    if (!required_) {
      column.blank_number = blank_number_.cell;
      column.blank_number_line = blank_number_.line;
    }
    return column;
  }
  column.codes = std::move(codes_);
  sort_levels(column);
  note_stray_texts(column, notes);
  return column;
}

// "1,234" beside "5.6", or beside "935", may be a thousand or little more than one: nobody can tell.
void ColumnBuilder::refuse_doubtful_commas() const {
  if (comma_.line == 0) return;
  if (point_.line != 0)
    throw InputError(
        fmt::format("{}, column '{}': line {} has a decimal comma ('{}') and line {} a decimal point "
                    "('{}'); write all numbers one way",
                    path_, name_, comma_.line, comma_.cell, point_.line, point_.cell));
  if (small_whole_.line != 0 && !thousands_excluded_ && !commas_are_decimal_)
    throw InputError(
        fmt::format("{}, column '{}': '{}' on line {} may be a decimal number or, beside '{}' on line {}, have its "
                    "thousands parted; write numbers without commas",
                    path_, name_, comma_.cell, comma_.line, small_whole_.cell, small_whole_.line));
}

void ColumnBuilder::sort_levels(Column& column) {
  struct Level {
    std::string text;
    std::int32_t code;
    std::optional<double> number;
  };
  std::vector<Level> levels;
  levels.reserve(dictionary_.size());
  while (!dictionary_.empty()) {
    auto node = dictionary_.extract(dictionary_.begin());
    const auto number = parse_number(node.key());
    levels.push_back({std::move(node.key()), node.mapped(), number});
  }
  const bool by_number = std::all_of(levels.begin(), levels.end(),
                                     [](const Level& level) { return level.number && !std::isnan(*level.number); });
  std::sort(levels.begin(), levels.end(), [&](const Level& a, const Level& b) {
    if (by_number && *a.number != *b.number) return *a.number < *b.number;
    return a.text < b.text;
  });

  std::vector<std::int32_t> new_code(levels.size());
  column.levels.reserve(levels.size());
  for (Level& level : levels) {
    new_code[static_cast<std::size_t>(level.code)] = static_cast<std::int32_t>(column.levels.size());
    column.levels.push_back(std::move(level.text));
  }
  for (std::int32_t& code : column.codes)
    if (code >= 0) code = new_code[static_cast<std::size_t>(code)];
}

// A column of numbers with a few words in it is more often a dirty file than a category.
void ColumnBuilder::note_stray_texts(const Column& column, std::vector<std::string>& notes) const {
  if (required_) return;
  std::vector<std::size_t> count(column.levels.size());
  for (const std::int32_t code : column.codes)
    if (code >= 0) ++count[static_cast<std::size_t>(code)];
  const std::size_t all = std::accumulate(count.begin(), count.end(), std::size_t{0});
  std::size_t numbers = 0;
  for (std::size_t i = 0; i < count.size(); ++i)
    if (parse_number(column.levels[i])) numbers += count[i];
  if (2 * numbers <= all) return;
  notes.push_back(
      fmt::format("column '{}' is read as categories because of '{}' on line {}, although {} of its {} cells are "
                  "numbers: correct {}, or write NA, if it should be numeric",
                  name_, text_.cell, text_.line, numbers, all,
                  all - numbers == 1 ? "that cell" : fmt::format("the other {}", all - numbers)));
}

}  // namespace mbnn
