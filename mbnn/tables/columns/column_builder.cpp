// What a cell means depends on its column: plain numbers are read at once, all else when the column is complete.
#include "mbnn/tables/columns/column_builder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "mbnn/core/error.h"
#include "mbnn/tables/columns/cell.h"

namespace mbnn {
namespace {

// 1,234 or 1.234: one sign, and behind it three digits, as between thousands.
bool looks_like_thousands(std::string_view cell, char sign, double number) {
  return cell.size() >= 5 && cell[cell.size() - 4] == sign && std::abs(number) >= 1 && std::abs(number) < 1000;
}

void see(Cell& first, std::string_view text, std::size_t line) {
  if (first.line == 0) first = {std::string(text), line};
}

}  // namespace

void ColumnBuilder::expect_spelling() {
  texts_ = Texts::as_given;
  text_ = true;
}

void ColumnBuilder::require_kind(ColumnKind kind) {
  required_ = kind;
  text_ = kind != ColumnKind::numeric;
}

// False for a comma of which only the whole column can tell whether it is decimal.
bool ColumnBuilder::read_comma(std::string_view cell, std::size_t line, std::optional<double>& number) {
  if (number) {
    if (!std::isfinite(*number) || cell.find('.') == cell.npos) return true;
    see(point_, cell, line);
    if (!looks_like_thousands(cell, '.', *number)) decimal_point_seen_ = true;
    return true;
  }
  if (cell.find(',') == cell.npos) return true;
  number = parse_number(cell, ',');
  if (!number) return true;
  see(comma_, cell, line);
  if (!looks_like_thousands(cell, ',', *number)) decimal_comma_seen_ = true;
  return commas_are_decimal_ || decimal_comma_seen_;
}

bool ColumnBuilder::read_number(std::string_view cell, std::size_t line, double& value) {
  std::optional<double> number = parse_number(cell);
  if (delimiter_ != ',' && !read_comma(cell, line, number)) return false;
  if (!number) {
    if (!is_missing(cell)) {
      if (!is_blank_number(cell)) return false;
      see(blank_number_, cell, line);
    }
    value = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  number_seen_ = true;
  value = *number;
  if (std::isinf(value)) see(infinity_, cell, line);
  const bool may_be_code = cell.size() > 2 && cell[0] == '0' && cell[1] != '.';  // in line, for most cells are none
  return !may_be_code || texts_ == Texts::as_given || required_ || !is_code(cell);
}

void ColumnBuilder::turn_to_text() {
  text_ = true;
  incomplete_ = !numbers_.empty();
  numbers_ = std::vector<double>();  // `= {}` would keep the memory
}

void ColumnBuilder::look(std::string_view cell, std::size_t line) {
  if (text_) return;
  double ignored;
  // A comma is judged by all the cells that are looked at.
  const bool knew = std::exchange(commas_are_decimal_, true);
  if (!read_number(cell, line, ignored)) turn_to_text();
  commas_are_decimal_ = knew;
}

void ColumnBuilder::settle_looks() {
  if (text_ || comma_.line == 0 || commas_are_decimal_) return;
  if (decimal_comma_seen_)
    commas_are_decimal_ = true;
  else
    turn_to_text();
}

void ColumnBuilder::add(std::string_view cell, std::size_t line) {
  if (!text_) {
    double value;
    if (read_number(cell, line, value)) {
      numbers_.push_back(value);
      return;
    }
    turn_to_text();
  }
  if (!incomplete_) add_text(cell, line);
}

void ColumnBuilder::add_text(std::string_view cell, std::size_t line) {
  if (is_missing(cell) || (texts_ == Texts::as_given && !required_ && is_missing_word(cell))) {
    codes_.push_back(-1);
    return;
  }
  auto found = dictionary_.find(cell);
  if (found == dictionary_.end())
    found = dictionary_.emplace(std::string(cell), Seen{static_cast<std::int32_t>(dictionary_.size()), line}).first;
  codes_.push_back(found->second.code);
}

void ColumnBuilder::reserve(std::size_t rows) {
  if (!text_) {
    numbers_.reserve(rows);
  } else if (!incomplete_) {
    codes_.reserve(rows);
  }
}

// Commas and points in one column, or points that look like those between thousands where others have decimal commas.
void ColumnBuilder::reconsider(const Customs& customs) {
  if (text_ || texts_ == Texts::as_given) return;
  const bool both = comma_.line != 0 && point_.line != 0;
  const bool thousands = customs.decimal_commas && point_.line != 0 && !decimal_point_seen_;
  if (both || thousands) turn_to_text();
}

void ColumnBuilder::add_to(Customs& customs) {
  if (!text_) {
    customs.decimal_commas = customs.decimal_commas || comma_.line != 0;
    customs.decimal_points = customs.decimal_points || decimal_point_seen_;
    return;
  }
  if (incomplete_) return;
  if (!judge_) {
    sort_levels();
    if (texts_ == Texts::as_given || required_ == ColumnKind::categorical) return;
    judge_.emplace(path_, name_, distinct_texts(), required_);
  }
  customs.decimal_commas = customs.decimal_commas || judge_->decimal_commas();
  customs.decimal_points = customs.decimal_points || judge_->decimal_points();
  if (customs.order == DayOrder::unknown) customs.order = judge_->order();
}

std::optional<Column> ColumnBuilder::finish(const Customs& customs, const Table& table,
                                            std::vector<std::string>& notes) {
  if (!text_) return numeric_column(notes);
  Column column;
  column.name = name_;
  column.kind = ColumnKind::categorical;
  if (judge_) {
    const TextJudge::Verdict verdict = judge_->judge(customs);
    if (!verdict.note.empty()) notes.push_back(verdict.note);
    if (!verdict.usable) return {};
    if (verdict.kind != ColumnKind::categorical) {
      take_values(verdict, table, column, notes);
      return column;
    }
  }
  column.codes = std::move(codes_);
  column.levels = std::move(levels_);
  column.digits = judge_ && judge_->codes() && judged_.size() == column.levels.size();
  return column;
}

Column ColumnBuilder::numeric_column(std::vector<std::string>& notes) {
  if (infinity_.line != 0)
    throw InputError(
        infinite_cell(fmt::format("{}, line {}, column '{}'", path_, infinity_.line, name_), infinity_.text));
  if (comma_.line != 0 && point_.line != 0)
    throw InputError(
        fmt::format("{}, column '{}': line {} has a decimal comma ('{}') and line {} a decimal point ('{}'); write all "
                    "numbers one way",
                    path_, name_, comma_.line, comma_.text, point_.line, point_.text));
  if (blank_number_.line != 0 && number_seen_)
    notes.push_back(fmt::format("'{}': '{}' on line {} is read as missing, for all else is numbers", name_,
                                blank_number_.text, blank_number_.line));
  Column column;
  column.name = name_;
  column.numbers = std::move(numbers_);
  if (comma_.line != 0) column.form.number.decimal = ',';
  if (!required_) column.blank_number = blank_number_;
  return column;
}

void ColumnBuilder::sort_levels() {
  if (dictionary_.empty()) return;  // done before, or nothing to do
  struct Level {
    std::string text;
    Seen seen;
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
  levels_.reserve(levels.size());
  for (Level& level : levels) {
    new_code[static_cast<std::size_t>(level.seen.code)] = static_cast<std::int32_t>(levels_.size());
    levels_.push_back(std::move(level.text));
    lines_.push_back(level.seen.line);
  }
  for (std::int32_t& code : codes_)
    if (code >= 0) code = new_code[static_cast<std::size_t>(code)];
}

DistinctTexts ColumnBuilder::distinct_texts() {
  std::vector<std::size_t> counts(levels_.size());
  for (const std::int32_t code : codes_)
    if (code >= 0) ++counts[static_cast<std::size_t>(code)];
  DistinctTexts cells;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    if (is_missing_word(levels_[i])) continue;
    judged_.push_back(i);
    cells.texts.push_back(levels_[i]);
    cells.counts.push_back(counts[i]);
    cells.lines.push_back(lines_[i]);
  }
  return cells;
}

void ColumnBuilder::take_values(const TextJudge::Verdict& verdict, const Table& table, Column& column,
                                std::vector<std::string>& notes) const {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> values(levels_.size(), none);
  std::vector<bool> judged(levels_.size());
  for (std::size_t i = 0; i < judged_.size(); ++i) {
    judged[judged_[i]] = true;
    values[judged_[i]] = verdict.values[i].value_or(none);
  }
  column.kind = verdict.kind;
  column.form = verdict.form;
  column.numbers.reserve(codes_.size());
  std::map<std::size_t, std::vector<std::size_t>> strays;  // the lines of each text, by the first of them
  for (std::size_t row = 0; row < codes_.size(); ++row) {
    const auto code = static_cast<std::size_t>(codes_[row]);
    column.numbers.push_back(codes_[row] < 0 ? none : values[code]);
    if (codes_[row] < 0 || !std::isnan(values[code])) continue;
    strays[lines_[code]].push_back(table.line_of(row));
    const Cell cell{levels_[code], lines_[code]};
    if (!judged[code] && required_) continue;
    Cell& first = judged[code] ? column.stray : column.blank_number;
    if (first.line == 0 || cell.line < first.line) first = cell;
  }
  if (strays.empty()) return;
  constexpr std::size_t most = 5;  // texts, and lines of each
  std::string told;
  std::size_t count = 0;
  for (const auto& [line, lines] : strays) {
    if (count++ == most) break;
    const auto text = std::ranges::find(lines_, line) - lines_.begin();
    const bool more = lines.size() > most;
    told += fmt::format(
        "{}'{}' on line{} {}{}", told.empty() ? "" : ", ", levels_[static_cast<std::size_t>(text)],
        lines.size() > 1 ? "s" : "",
        fmt::join(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(std::min(most, lines.size())), ", "),
        more ? fmt::format(" and {} more", lines.size() - most) : "");
  }
  if (strays.size() > most) told += fmt::format(", and {} further texts", strays.size() - most);
  notes.push_back(fmt::format("'{}': {} {} read as missing, for all else is {}", name_, told,
                              strays.size() > 1 || strays.begin()->second.size() > 1 ? "are" : "is",
                              verdict.kind == ColumnKind::numeric ? "numbers" : "dates"));
}

}  // namespace mbnn
