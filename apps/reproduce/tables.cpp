#include "apps/reproduce/tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace mbnn::studies {

Summary summarise(const std::vector<Row>& rows, const std::string& column) {
  double count = 0, sum = 0, squares = 0;
  std::vector<double> values;
  for (const Row& row : rows)
    if (const double value = number(row, column); !std::isnan(value)) values.push_back(value), sum += value, count += 1;
  const double mean = sum / count;
  for (double value : values) squares += (value - mean) * (value - mean);
  return {values.size(), mean, std::sqrt(squares / (count - 1) / count)};
}

std::vector<Row> select(const std::vector<Row>& rows, const Row& values) {
  std::vector<Row> found;
  for (const Row& row : rows)
    if (std::all_of(values.begin(), values.end(), [&](const auto& v) { return row.at(v.first) == v.second; }))
      found.push_back(row);
  return found;
}

std::string mean_and_error(const Summary& s, int decimals) {
  if (s.count < 2) return mean_only(s, decimals);
  return fmt::format("{:.{}f} ± {:.{}f}", s.mean, decimals, s.error, decimals);
}

std::string mean_only(const Summary& s, int decimals) {
  return s.count == 0 ? "–" : fmt::format("{:.{}f}", s.mean, decimals);
}

std::string mean_widths(const std::vector<Row>& rows) {
  if (summarise(rows, "width1").count == 0) return "–";
  return fmt::format("({}, {})", mean_only(summarise(rows, "width1"), 0), mean_only(summarise(rows, "width2"), 0));
}

MarkdownTable::MarkdownTable(std::vector<std::string> header) {
  add(header);
  text_ += "|";
  for (std::size_t i = 0; i < header.size(); ++i) text_ += "---|";
  text_ += "\n";
}

void MarkdownTable::add(const std::vector<std::string>& cells) {
  text_ += fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string setting_line(const StudyOptions& options) {
  return fmt::format("Setting `{}`; means ± standard errors over splits of `{}`.\n\n", options.setting,
                     options.splits_file);
}

}  // namespace mbnn::studies
