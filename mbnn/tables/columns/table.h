// A table read from delimited text: typed columns, and where in the file each row stands.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mbnn/tables/columns/cell_form.h"

namespace mbnn {

enum class ColumnKind { numeric, categorical, date };
constexpr auto enum_names(ColumnKind) { return std::array{"numeric", "categorical", "date"}; }

// A cell as the file has it; line 0: there is none.
struct Cell {
  std::string text;
  std::size_t line = 0;
};

struct Column {
  std::string name;
  ColumnKind kind = ColumnKind::numeric;
  std::vector<double> numbers;      // numeric, date (seconds, see DateFormat): a value a row, NaN = missing
  std::vector<std::int32_t> codes;  // categorical: places in `levels`, -1 = missing
  std::vector<std::string> levels;  // sorted: by value if all are numbers, else by their bytes
  CellForm form = {};               // how the file writes the numbers or dates
  // Numeric and date, unless it was asked for: the first cell that is read as a missing one, for it says so ("none");
  // and the first that is, for it is no number among many.
  Cell blank_number = {}, stray = {};
  bool digits = false;  // categorical: all cells are whole numbers, some with a zero in front

  bool missing(std::size_t row) const;
  std::string text(std::size_t row) const;  // the cell as a message shows it
};

// Cells of a column as the file has them, whatever its kind.
class CopiedColumn {
 public:
  explicit CopiedColumn(std::string name) : name_(std::move(name)) {}
  const std::string& name() const { return name_; }
  void add(std::string_view cell) {
    text_ += cell;
    ends_.push_back(text_.size());
  }
  std::string_view operator[](std::size_t row) const {
    const std::size_t begin = row == 0 ? 0 : ends_[row - 1];
    return std::string_view(text_).substr(begin, ends_[row] - begin);
  }

 private:
  std::string name_, text_;
  std::vector<std::size_t> ends_;  // of the cells, in text_
};

struct Table {
  // Rows stand on consecutive lines from `line` on, until the next run: one entry unless lines are blank or wrapped.
  struct LineRun {
    std::size_t row = 0;
    std::size_t line = 0;
  };

  std::string path;
  std::vector<Column> columns;
  std::size_t rows = 0;
  std::vector<std::string> notes;  // what the user should know of how the file was read, a line each
  bool header = true;              // without one, columns are x1, x2, ... and "2" also finds x2
  std::vector<LineRun> line_runs;
  std::vector<CopiedColumn> copies;  // those that were asked for, in their order

  int index_of(std::string_view name) const;  // -1 if there is no such column
  const Column* find(std::string_view name) const;
  std::vector<std::string> column_names() const;
  std::size_t line_of(std::size_t row) const;  // 0 for a table that came from no file
  // "data.csv, line 7, column 'age'"; the row (from 1) for a table that came from no file.
  std::string place(std::size_t row, std::string_view column) const;
};

struct TableOptions {
  bool header = true;
  std::optional<char> delimiter = {};         // none = guess among comma, semicolon, tab, and runs of blanks (' ')
  std::vector<std::string> categorical = {};  // columns to read as categories even if all cells are numbers
  std::vector<std::string> numeric = {};      // columns that must be numbers
  std::vector<std::string> dates = {};        // columns that must be dates
  std::vector<std::string> as_written = {};   // columns of texts, whatever they look like; the table may lack them
  std::vector<std::string> spelled = {};      // of numbers or dates in a spelling that a fit knows; texts so far
  std::vector<std::string> ignore = {};       // columns to leave out of the table
  std::vector<std::string> copied = {};  // columns, ignored or not, whose cells are wanted as they are written, too
  bool ignore_absent = false;            // do not refuse names of columns that the table lacks
  bool decimal_commas = false;           // commas in numbers are known to be decimal
  bool judge_texts = true;               // false: texts stay so, for a fit knows which numbers or dates they are

  // InputError if `name`, which is needed as `what`, is among those to ignore.
  void refuse_ignored(const std::string& name, std::string_view what) const;
};

// Reads in one pass and a buffer of one chunk; a column whose first text comes late in the file costs a second pass.
Table read_table(const std::string& path, const TableOptions& options = {});

// From the table's beginning alone.
std::vector<std::string> column_names_of(const std::string& path, const TableOptions& options = {});

}  // namespace mbnn
