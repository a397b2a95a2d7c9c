#include "apps/mbnn/row_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "mbnn/core/text.h"

namespace mbnn::app {

namespace {

std::string json_text(std::string_view text) { return nlohmann::json(text).dump(); }

}  // namespace

Format format_of(const std::optional<Format>& asked, const std::string& path) {
  if (asked) return *asked;
  return path.ends_with(".jsonl") || path.ends_with(".ndjson") ? Format::jsonl : Format::csv;
}

void declare_format(OptionList& options, std::optional<Format>& format) {
  options
      .add("format", value_of(format, "by the name of the file"),
           "csv, or jsonl: a JSON object a line, as for a name that ends in .jsonl or .ndjson")
      .basic()
      .known_as({"jsonl", "json-lines", "ndjson", "output-format"});
}

RowFormat::RowFormat(Format format, std::vector<std::string> columns) : format_(format), columns_(std::move(columns)) {
  for (std::string& name : columns_) name = format == Format::csv ? csv_cell(name) : json_text(name);
}

std::string RowFormat::header() const {
  return format_ == Format::csv ? fmt::format("{}\n", fmt::join(columns_, ",")) : "";
}

void RowFormat::Line::add(std::string_view text) {
  add_token(format_.format_ == Format::csv ? csv_cell(text) : json_text(text));
}

void RowFormat::Line::add(double number, int digits) {
  if (std::isfinite(number)) return add_token(fmt::format("{:.{}g}", number, digits));
  add_token(format_.format_ == Format::csv ? "" : "null");
}

void RowFormat::Line::add_token(std::string_view token) {
  const bool first = column_ == 0;
  if (format_.format_ == Format::csv)
    text_ += first ? "" : ",";
  else
    text_ += fmt::format("{}{}:", first ? "{" : ",", format_.columns_.at(column_));
  text_ += token;
  ++column_;
}

std::string RowFormat::Line::finish() {
  text_ += format_.format_ == Format::csv ? "\n" : "}\n";
  return std::move(text_);
}

}  // namespace mbnn::app
