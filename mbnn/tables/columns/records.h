// Splits a delimited text file into records of cells, a chunk at a time: never the whole file, never a string a cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mbnn/tables/columns/text_source.h"

namespace mbnn {

// The delimiter that stands for runs of spaces and tabs.
inline constexpr char blanks = ' ';

struct Split {
  enum class Status { record, incomplete, open_quote, text_after_quote };
  Status status = Status::record;
  char* next = nullptr;        // first character after the record
  std::size_t lines = 0;       // line ends inside and at the end of the record
  std::size_t fault_line = 0;  // line ends before the faulty quote
  bool blank = false;          // the line holds nothing at all
};

// Splits the record that starts at `begin` (RFC 4180 quotes; LF, CRLF or CR). Undoubles quotes in place, only once the
// record is complete, so that an incomplete one may be split again after more was read.
Split split_record(char* begin, char* end, bool end_of_file, char delimiter, std::vector<std::string_view>& cells);

// The delimiter under which the first records have the same number of cells; a comma if nothing separates anything.
char guess_delimiter(std::string_view sample);

class RecordReader {
 public:
  explicit RecordReader(std::string path);

  // The start of the file, without a byte order mark; valid before the first call of next().
  std::string_view sample() const { return {begin_, static_cast<std::size_t>(end_ - begin_)}; }
  bool sample_is_whole_file() const { return end_of_file_; }

  // The next record that is not blank; false at the end of the file. Cells are valid until the next call.
  bool next(char delimiter, std::vector<std::string_view>& cells);
  std::size_t line() const { return line_; }                // where the current record starts, from 1
  std::size_t blank_lines() const { return blank_lines_; }  // between the first record and the current one
  std::uintmax_t bytes_consumed() const { return bytes_read_ - static_cast<std::size_t>(end_ - begin_); }
  std::uintmax_t file_bytes() const { return file_bytes_; }  // 0 if it cannot be known: a pipe
  bool can_be_read_again() const { return regular_file_; }

 private:
  void refill();
  void check_text(const char* begin, const char* end) const;

  std::string path_;
  std::unique_ptr<TextSource> source_;
  std::vector<char> buffer_;
  char* begin_ = nullptr;  // what of the buffer is not yet split
  char* end_ = nullptr;
  bool end_of_file_ = false;
  bool regular_file_ = true;
  std::size_t line_ = 0;
  std::size_t next_line_ = 1;
  std::size_t blank_lines_ = 0;
  std::uintmax_t bytes_read_ = 0;
  std::uintmax_t file_bytes_ = 0;
};

}  // namespace mbnn
