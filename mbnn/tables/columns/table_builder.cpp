#include "mbnn/tables/columns/table_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mbnn/core/error.h"
#include "mbnn/core/known_names.h"
#include "mbnn/tables/columns/cell.h"
#include "mbnn/tables/columns/column_builder.h"

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

TableBuilder::TableBuilder(std::string name, TableOptions options) : options_(std::move(options)) {
  table_.path = std::move(name);
}

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
  if (contains(options_.categorical, column) || contains(options_.as_written, column)) {
    std::vector<std::string> texts;
    std::vector<std::int64_t> places;
    for (const double value : values) {
      places.push_back(std::isnan(value) ? -1 : static_cast<std::int64_t>(texts.size()));
      if (!std::isnan(value)) texts.push_back(format_number(value));
    }
    return add_texts(column, texts, places, true);
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
  const bool named = contains(options_.categorical, column) || contains(options_.as_written, column);
  const bool numeric = contains(options_.numeric, column);
  if (named && numeric)
    throw InputError(fmt::format("column '{}' is named both as categorical and as numeric", column));
  const bool as_texts = (categories && !numeric) || named;
  ColumnBuilder builder(table_.path, column, as_texts ? ColumnKind::categorical : ColumnKind::numeric,
                        as_texts || numeric);
  const auto count = static_cast<std::int64_t>(texts.size());
  for (const std::int64_t place : places)
    require(place >= -1 && place < count, "place of a text", place, "must be one of the texts, or -1");
  const auto text = [&](std::int64_t place) {
    return place < 0 ? std::string_view() : trimmed(texts[static_cast<std::size_t>(place)]);
  };
  // The kind is settled before any cell is kept.
  std::vector<bool> seen(texts.size() + 1);
  for (std::size_t row = 0; row < places.size(); ++row) {
    const auto place = static_cast<std::size_t>(places[row] + 1);
    if (!seen[place]) builder.look(text(places[row]), row + 1, kDelimiter);
    seen[place] = true;
  }
  builder.reserve(places.size());
  for (std::size_t row = 0; row < places.size(); ++row) builder.add(text(places[row]), row + 1, kDelimiter);
  table_.columns.push_back(builder.finish(table_.notes));
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
  return std::move(table_);
}

}  // namespace mbnn
