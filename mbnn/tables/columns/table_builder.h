// A table made of columns in memory, with the kinds that a file with the same cells would give them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mbnn/tables/columns/table.h"

namespace mbnn {

class TableBuilder {
 public:
  // `name` stands in messages where the path of a file would; of the options, all but the delimiter are of use.
  explicit TableBuilder(std::string name, TableOptions options = {});

  // A value a row; NaN: missing.
  void add_numbers(const std::string& column, std::vector<double> values);
  // A place in `texts` a row; -1, and the spellings that files have for it: missing. All numbers make a column of
  // numbers, unless it is to hold `categories`.
  void add_texts(const std::string& column, std::span<const std::string> texts, std::span<const std::int64_t> places,
                 bool categories);

  // InputError if columns are missing that the options name.
  Table finish();

 private:
  bool is_ignored(const std::string& column) const;
  void begin(const std::string& column, std::size_t rows);

  TableOptions options_;
  Table table_;
  std::vector<std::string> names_;  // of all columns, the ignored ones among them
};

}  // namespace mbnn
