// Reads a table: settles the delimiter, the names and the kinds, then streams the rows into the columns.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "mbnn/core/error.h"
#include "mbnn/core/known_names.h"
#include "mbnn/tables/columns/cell.h"
#include "mbnn/tables/columns/column_builder.h"
#include "mbnn/tables/columns/records.h"
#include "mbnn/tables/columns/table.h"

namespace mbnn {
namespace {

std::string delimiter_name(char delimiter) {
  switch (delimiter) {
    case ',':
      return "comma";
    case ';':
      return "semicolon";
    case '\t':
      return "tab";
    case blanks:
      return "blanks";
    default:
      return fmt::format("'{}'", delimiter);
  }
}

const char* word_for(ColumnKind kind) {
  return kind == ColumnKind::numeric ? "numeric" : kind == ColumnKind::categorical ? "categorical" : "a date";
}

class TableReader {
 public:
  TableReader(const std::string& path, const TableOptions& options) : options_(options), reader_(path) {
    table_.path = path;
    table_.header = options.header;
  }

  Table read() {
    settle_delimiter();
    settle_names();
    settle_kinds();
    settle_columns();
    sample_kinds();
    read_rows();
    read_late_texts();
    finish();
    return std::move(table_);
  }

  std::vector<std::string> names() {
    settle_delimiter();
    settle_names();
    return table_.column_names();
  }

 private:
  void settle_delimiter() {
    if (options_.delimiter) {
      delimiter_ = *options_.delimiter;
      constexpr std::string_view unusable = "\"\r\n.+-";
      const bool alphanumeric =
          (delimiter_ >= '0' && delimiter_ <= '9') || ((delimiter_ | 32) >= 'a' && (delimiter_ | 32) <= 'z');
      require(unusable.find(delimiter_) == unusable.npos && !alphanumeric && delimiter_ > 0, "delimiter",
              std::string(1, delimiter_), "must be a sign such as , or ; that numbers and words do not hold");
      return;
    }
    delimiter_ = guess_delimiter(reader_.sample());
    if (delimiter_ != ',') table_.notes.push_back(fmt::format("delimiter guessed: {}", delimiter_name(delimiter_)));
  }

  // The kinds are sampled before the first record is taken out of the reader, which drops its sample.
  void settle_names() {
    sample_.assign(reader_.sample());
    sample_is_whole_file_ = reader_.sample_is_whole_file();
    if (!reader_.next(delimiter_, cells_))
      throw InputError(table_.path + ": is empty; expected a table with rows of data");
    first_line_ = reader_.line();
    width_ = cells_.size();
    const bool all_numbers =
        std::all_of(cells_.begin(), cells_.end(), [](std::string_view cell) { return parse_number(cell).has_value(); });
    if (options_.header && all_numbers)
      table_.notes.push_back(
          fmt::format("line {} holds only numbers and was taken as the header; with no-header it is "
                      "data",
                      first_line_));
    const std::set<std::string_view> given(cells_.begin(), cells_.end());
    std::unordered_map<std::string, std::size_t> seen;
    for (std::size_t i = 0; i < width_; ++i) {
      std::string name = options_.header ? std::string(cells_[i]) : fmt::format("x{}", i + 1);
      if (name.empty()) {
        name = fmt::format("x{}", i + 1);
        while (given.contains(name)) name += '_';
        table_.notes.push_back(fmt::format("column {} has no name in the header and is called {}", i + 1, name));
      }
      const auto [earlier, is_new] = seen.emplace(name, i + 1);
      if (!is_new)
        throw InputError(
            fmt::format("{}, line {}: columns {} and {} are both named '{}'; names must differ (with "
                        "no-header the first line is data)",
                        table_.path, first_line_, earlier->second, i + 1, name));
      table_.columns.emplace_back().name = std::move(name);
    }
  }

  void settle_kinds() {
    using Texts = ColumnBuilder::Texts;
    const Texts texts = options_.judge_texts ? Texts::judged : Texts::as_given;
    for (const Column& column : table_.columns) builders_.emplace_back(table_.path, column.name, delimiter_, texts);
    const auto set = [&](const std::vector<std::string>& names, ColumnKind kind, const char* kind_name) {
      for (const std::string& name : names) {
        const int index = table_.index_of(name);
        if (index < 0 && options_.ignore_absent) continue;
        if (index < 0)
          throw InputError(fmt::format("{}: no column '{}' to be read as {}; {}", table_.path, name, kind_name,
                                       known_columns(name, table_.column_names())));
        ColumnBuilder& builder = builders_[static_cast<std::size_t>(index)];
        if (builder.required() && builder.required() != kind)
          throw InputError(fmt::format("column '{}' is named both as {} and as {}", builder.name(),
                                       word_for(*builder.required()), word_for(kind)));
        builder.require_kind(kind);
      }
    };
    set(options_.categorical, ColumnKind::categorical, "categories");
    set(options_.numeric, ColumnKind::numeric, "numbers");
    set(options_.dates, ColumnKind::date, "dates");
    for (const std::string& name : options_.as_written)
      if (const int index = table_.index_of(name); index >= 0)
        builders_[static_cast<std::size_t>(index)].require_kind(ColumnKind::categorical);
    for (const std::string& name : options_.spelled)
      if (const int index = table_.index_of(name); index >= 0)
        builders_[static_cast<std::size_t>(index)].expect_spelling();
    if (options_.decimal_commas)
      for (ColumnBuilder& builder : builders_) builder.expect_decimal_commas();
  }

  void settle_columns() {
    std::vector<bool> ignored(width_);
    for (const std::string& name : options_.ignore) {
      const int index = table_.index_of(name);
      if (index < 0 && options_.ignore_absent) continue;
      if (index < 0)
        throw InputError(fmt::format("{}: no column '{}' to ignore; {}", table_.path, name,
                                     known_columns(name, table_.column_names())));
      ignored[static_cast<std::size_t>(index)] = true;
    }
    for (std::size_t i = 0; i < width_; ++i)
      if (!ignored[i]) kept_.push_back(i);
    for (const std::string& name : options_.copied) {
      const int index = table_.index_of(name);
      if (index < 0)
        throw InputError(fmt::format("{}: no column '{}' to keep; {}", table_.path, name,
                                     known_columns(name, table_.column_names())));
      copied_.push_back(static_cast<std::size_t>(index));
      table_.copies.emplace_back(table_.columns[copied_.back()].name);
    }
  }

  // Most columns of texts show themselves in the first chunk and so need no second pass.
  void sample_kinds() {
    std::vector<std::string_view> cells;
    char* p = sample_.data();
    char* const end = p + sample_.size();
    std::size_t line = 1, records = 0;
    while (p < end) {
      const Split split = split_record(p, end, sample_is_whole_file_, delimiter_, cells);
      // Whatever is wrong here is met again, and said, when the rows are read.
      if (split.status != Split::Status::record || (!split.blank && cells.size() != width_)) break;
      p = split.next;
      if (!split.blank && records++ >= (options_.header ? 1u : 0u))
        for (const std::size_t i : kept_) builders_[i].look(cells[i], line);
      line += split.lines;
    }
    for (const std::size_t i : kept_) builders_[i].settle_looks();
    const auto bytes = static_cast<double>(p - sample_.data());
    reserve(records == 0 ? 0 : static_cast<double>(records) * static_cast<double>(reader_.file_bytes()) / bytes);
    sample_ = std::string();  // `= {}` would keep the memory
  }

  // Memory that is reserved and never written costs nothing; a vector that doubles costs up to twice its content.
  void reserve(double expected_rows) {
    const double least = static_cast<double>(table_.rows) * 1.125 + 64;
    const auto rows = static_cast<std::size_t>(std::max(least, expected_rows * 1.02 + 16));
    for (const std::size_t i : kept_) builders_[i].reserve(rows);
    reserved_rows_ = rows;
  }

  // Takes the current record, too, unless it is the header.
  template <class Take>
  std::size_t for_each_row(RecordReader& reader, Take take) {
    std::size_t rows = 0;
    if (!options_.header) {
      take(reader.line());
      ++rows;
    }
    while (reader.next(delimiter_, cells_)) {
      if (cells_.size() != width_)
        throw InputError(fmt::format("{}, line {}: {} cells found, {} expected as on line {} (delimiter: {})",
                                     table_.path, reader.line(), cells_.size(), width_, first_line_,
                                     delimiter_name(delimiter_)));
      take(reader.line());
      ++rows;
    }
    return rows;
  }

  void read_rows() {
    std::size_t expected_line = 0;
    for_each_row(reader_, [&](std::size_t line) {
      if (table_.rows == reserved_rows_)
        reserve(static_cast<double>(table_.rows) * static_cast<double>(reader_.file_bytes()) /
                static_cast<double>(reader_.bytes_consumed()));
      if (line != expected_line) table_.line_runs.push_back({table_.rows, line});
      expected_line = line + 1;
      for (const std::size_t i : kept_) builders_[i].add(cells_[i], line);
      for (std::size_t i = 0; i < copied_.size(); ++i) table_.copies[i].add(cells_[copied_[i]]);
      ++table_.rows;
    });
    if (table_.rows == 0)
      throw InputError(fmt::format("{}: has a header of {} columns but no rows of data", table_.path, width_));
  }

  // What the columns that are complete say of the customs decides which of the others must be read again.
  void read_late_texts() {
    const Customs customs = learn_customs();
    for (const std::size_t i : kept_) builders_[i].reconsider(customs);
    std::vector<std::size_t> late;
    for (const std::size_t i : kept_)
      if (builders_[i].incomplete()) late.push_back(i);
    if (late.empty()) return;
    if (!reader_.can_be_read_again())
      throw InputError(
          fmt::format("{}: column '{}' turns out to be no plain numbers only far into the file, which is a pipe and "
                      "cannot be read twice: name the column as categorical, or give a file",
                      table_.path, builders_[late[0]].name()));
    for (const std::size_t i : late) {
      builders_[i].start_again();
      builders_[i].reserve(table_.rows);
    }
    RecordReader again(table_.path);
    const bool same_start = again.next(delimiter_, cells_) && cells_.size() == width_;
    const auto take = [&](std::size_t line) {
      for (const std::size_t i : late) builders_[i].add_text(cells_[i], line);
    };
    if (!same_start || for_each_row(again, take) != table_.rows)
      throw Error(fmt::format("{}: changed while it was read", table_.path));
  }

  Customs learn_customs() {
    Customs customs{.delimiter = delimiter_};
    for (const std::size_t i : kept_) builders_[i].add_to(customs);
    return customs;
  }

  void finish() {
    const Customs customs = learn_customs();
    std::vector<std::string> with_commas;
    table_.columns.clear();
    for (const std::size_t i : kept_) {
      std::optional<Column> column = builders_[i].finish(customs, table_, table_.notes);
      if (!column) continue;
      if (column->form.number.plain() && column->form.number.decimal == ',') with_commas.push_back(column->name);
      table_.columns.push_back(std::move(*column));
    }
    if (width_ == 1 && reader_.blank_lines() > 0)
      table_.notes.push_back(
          fmt::format("blank lines among the rows, left out: {} (in a table of one column, NA is a missing cell)",
                      reader_.blank_lines()));
    if (!with_commas.empty())
      table_.notes.push_back(fmt::format("commas are read as decimal commas in {}", list_names(with_commas)));
  }

  const TableOptions& options_;
  RecordReader reader_;
  Table table_;
  std::vector<ColumnBuilder> builders_;
  std::vector<std::size_t> kept_;    // places of the columns that are not ignored
  std::vector<std::size_t> copied_;  // places of those whose cells are wanted as they are
  std::vector<std::string_view> cells_;
  std::string sample_;
  bool sample_is_whole_file_ = false;
  char delimiter_ = ',';
  std::size_t width_ = 0;
  std::size_t first_line_ = 1;
  std::size_t reserved_rows_ = 0;
};

}  // namespace

Table read_table(const std::string& path, const TableOptions& options) { return TableReader(path, options).read(); }

std::vector<std::string> column_names_of(const std::string& path, const TableOptions& options) {
  return TableReader(path, options).names();
}

}  // namespace mbnn
