#include "mbnn/tables/columns/table_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mbnn/core/error.h"
#include "mbnn/core/known_names.h"
#include "mbnn/tables/columns/cell.h"
#include "mbnn/tables/columns/column_builder.h"
#include "mbnn/tables/columns/number_spelling.h"

namespace mbnn {

namespace {

constexpr char kDelimiter = ',';  // as of a file whose numbers have decimal points

// As a file's cells are.
std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

struct TableBuilder::Texts {
  std::size_t place;  // of the column in the table
  std::vector<std::string> texts;
  std::vector<std::int64_t> places;
  ColumnBuilder builder;

  // take(cell, line), where the first row is line 1.
  template <class Take>
  void for_each_cell(Take take) const {
    for (std::size_t row = 0; row < places.size(); ++row)
      take(places[row] < 0 ? std::string_view() : trimmed(texts[static_cast<std::size_t>(places[row])]), row + 1);
  }
};

TableBuilder::TableBuilder(std::string name, TableOptions options) : options_(std::move(options)) {
  table_.path = std::move(name);
}

TableBuilder::~TableBuilder() = default;

bool TableBuilder::is_ignored(const std::string& column) const { return contains(options_.ignore, column); }

void TableBuilder::begin(const std::string& column, std::size_t rows) {
  if (column.empty()) throw InputError(fmt::format("{}: column {} has no name", table_.path, names_.size() + 1));
  if (contains(names_, column))
    throw InputError(fmt::format("{}: two columns are named '{}'; names must differ", table_.path, column));
  if (!names_.empty() && rows != table_.rows)
    throw InputError(fmt::format("{}: column '{}' has {} rows, column '{}' has {}", table_.path, names_.front(),
                                 table_.rows, column, rows));
  names_.push_back(column);
  table_.rows = rows;
}

void TableBuilder::add_numbers(const std::string& column, std::vector<double> values) {
  const bool dates = contains(options_.dates, column);
  if (dates || contains(options_.categorical, column) || contains(options_.as_written, column)) {
    std::vector<std::string> texts;
    std::vector<std::int64_t> places;
    for (const double value : values) {
      places.push_back(std::isnan(value) ? -1 : static_cast<std::int64_t>(texts.size()));
      if (!std::isnan(value)) texts.push_back(format_number(value));
    }
    return add_texts(column, texts, places, !dates);
  }
  begin(column, values.size());
  if (is_ignored(column)) return;
  const auto infinite = std::ranges::find_if(values, [](double value) { return std::isinf(value); });
  if (infinite != values.end())
    throw InputError(fmt::format("{}: {} is infinite; expected a finite number, or NaN if it is not known",
                                 table_.place(static_cast<std::size_t>(infinite - values.begin()), column), *infinite));
  table_.columns.push_back({.name = column, .numbers = std::move(values), .codes = {}, .levels = {}});
}

void TableBuilder::add_texts(const std::string& column, std::span<const std::string> texts,
                             std::span<const std::int64_t> places, bool categories) {
  begin(column, places.size());
  if (is_ignored(column)) return;
  const auto count = static_cast<std::int64_t>(texts.size());
  for (const std::int64_t place : places)
    require(place >= -1 && place < count, "place of a text", place, "must be one of the texts, or -1");
  using Judged = ColumnBuilder::Texts;
  auto entry = std::make_unique<Texts>(
      Texts{table_.columns.size(),
            {texts.begin(), texts.end()},
            {places.begin(), places.end()},
            {table_.path, column, kDelimiter, options_.judge_texts ? Judged::judged : Judged::as_given}});
  ColumnBuilder& builder = entry->builder;
  const auto name_kind = [&](const std::vector<std::string>& names, ColumnKind kind) {
    if (!contains(names, column)) return;
    if (builder.required() && builder.required() != kind)
      throw InputError(fmt::format("column '{}' is named as two kinds", column));
    builder.require_kind(kind);
  };
  name_kind(options_.categorical, ColumnKind::categorical);
  name_kind(options_.as_written, ColumnKind::categorical);
  name_kind(options_.numeric, ColumnKind::numeric);
  name_kind(options_.dates, ColumnKind::date);
  if (categories && !builder.required()) builder.require_kind(ColumnKind::categorical);
  if (contains(options_.spelled, column)) builder.expect_spelling();
  if (options_.decimal_commas) builder.expect_decimal_commas();
  // The kind is settled before any cell is kept.
  std::vector<bool> seen(texts.size() + 1);
  entry->for_each_cell([&](std::string_view cell, std::size_t line) {
    const auto place = static_cast<std::size_t>(entry->places[line - 1] + 1);
    if (!seen[place]) builder.look(cell, line);
    seen[place] = true;
  });
  builder.settle_looks();
  builder.reserve(places.size());
  entry->for_each_cell([&](std::string_view cell, std::size_t line) { builder.add(cell, line); });
  table_.columns.push_back({.name = column, .numbers = {}, .codes = {}, .levels = {}});  // its place
  texts_.push_back(std::move(entry));
}

Customs TableBuilder::learn_customs() {
  Customs customs{.delimiter = kDelimiter};
  for (const auto& texts : texts_) texts->builder.add_to(customs);
  return customs;
}

Table TableBuilder::finish() {
  if (table_.rows == 0) throw InputError(table_.path + ": has no rows");
  const auto need = [&](const std::vector<std::string>& wanted, const char* what) {
    for (const std::string& name : wanted)
      if (!options_.ignore_absent && !contains(names_, name))
        throw InputError(
            fmt::format("{}: no column '{}' {}; {}", table_.path, name, what, known_columns(name, names_)));
  };
  need(options_.ignore, "to ignore");
  need(options_.categorical, "to be read as categories");
  need(options_.numeric, "to be read as numbers");
  need(options_.dates, "to be read as dates");
  Customs customs = learn_customs();
  for (const auto& texts : texts_) {
    ColumnBuilder& builder = texts->builder;
    builder.reconsider(customs);
    if (!builder.incomplete()) continue;
    builder.start_again();
    builder.reserve(table_.rows);
    texts->for_each_cell([&](std::string_view cell, std::size_t line) { builder.add_text(cell, line); });
  }
  customs = learn_customs();
  std::vector<std::optional<Column>> columns(table_.columns.begin(), table_.columns.end());
  for (const auto& texts : texts_) columns[texts->place] = texts->builder.finish(customs, table_, table_.notes);
  table_.columns.clear();
  for (auto& column : columns)
    if (column) table_.columns.push_back(std::move(*column));
  return std::move(table_);
}

}  // namespace mbnn
