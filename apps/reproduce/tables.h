// Means and standard errors over repetitions, and the markdown tables that show them.
#pragma once

#include "apps/reproduce/study.h"

namespace mbnn::studies {

struct Summary {
  std::size_t count = 0;       // rows whose cell is a number
  double mean = 0, error = 0;  // standard error of the mean; NaN below two rows
};
Summary summarise(const std::vector<Row>& rows, const std::string& column);

// The rows whose cells have these values.
std::vector<Row> select(const std::vector<Row>& rows, const Row& values);

std::string mean_and_error(const Summary& summary, int decimals);  // "2.902 ± 0.143", "–" without rows
std::string mean_only(const Summary& summary, int decimals);
std::string mean_widths(const std::vector<Row>& rows);  // "(29, 12)"

class MarkdownTable {
 public:
  explicit MarkdownTable(std::vector<std::string> header);
  void add(const std::vector<std::string>& cells);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Which splits were asked for and under which setting, as a sentence above a table.
std::string setting_line(const StudyOptions& options);

}  // namespace mbnn::studies
