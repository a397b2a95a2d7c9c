// The rows of a study: a CSV that grows by one line for each finished job and is readable after any crash.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace mbnn::studies {

using Row = std::map<std::string, std::string>;  // by column

// The value of a cell as a number; NaN for an empty one. Error for anything else.
double number(const Row& row, const std::string& column);
std::string cell(double value);  // enough digits that two runs with the same answer show the same cell

class RowsFile {
 public:
  // Creates the file if there is none. Refuses a file with other columns, one that another process appends to, and one
  // that is damaged before its last line. A last line that a crash cut short is dropped.
  static RowsFile append_to(const std::string& path, const std::vector<std::string>& columns);
  // The rows alone; InputError if there is no file. Nothing is changed.
  static std::vector<Row> read(const std::string& path, const std::vector<std::string>& columns);

  RowsFile(RowsFile&& other) noexcept;
  RowsFile& operator=(RowsFile&&) = delete;
  ~RowsFile();

  const std::vector<Row>& rows() const { return rows_; }
  void append(const Row& row);  // in one write, on disk on return

 private:
  RowsFile(std::string path, std::vector<std::string> columns, int descriptor);
  void write_line(const std::string& line);

  std::string path_;
  std::vector<std::string> columns_;
  int descriptor_ = -1;
  std::vector<Row> rows_;
};

// A whole file; empty if it cannot be read.
std::string content_of(const std::string& path);

}  // namespace mbnn::studies
