// A table made of columns in memory, with the kinds that a file with the same cells would give them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mbnn/tables/columns/table.h"

namespace mbnn {

struct Customs;

class TableBuilder {
 public:
  // `name` stands in messages where the path of a file would; of the options, all but the delimiter are of use.
  explicit TableBuilder(std::string name, TableOptions options = {});
  ~TableBuilder();

  // A value a row; NaN: missing.
  void add_numbers(const std::string& column, std::vector<double> values);
  // A place in `texts` a row; -1, and the spellings that files have for it: missing. What the texts are, numbers, dates
  // or categories, is told as of a file's cells when the table is finished, unless they are to be `categories`.
  void add_texts(const std::string& column, std::span<const std::string> texts, std::span<const std::int64_t> places,
                 bool categories);

  // InputError if columns are missing that the options name.
  Table finish();

 private:
  struct Texts;  // a column of texts until the table is finished

  bool is_ignored(const std::string& column) const;
  void begin(const std::string& column, std::size_t rows);
  Customs learn_customs();

  TableOptions options_;
  Table table_;
  std::vector<std::string> names_;  // of all columns, the ignored ones among them
  std::vector<std::unique_ptr<Texts>> texts_;
};

}  // namespace mbnn
