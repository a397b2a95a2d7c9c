// Builds one column cell by cell: numbers as programs write them until another text is met, then the texts themselves,
// which are judged together at the end.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mbnn/tables/columns/table.h"
#include "mbnn/tables/columns/text_judge.h"

namespace mbnn {

class ColumnBuilder {
 public:
  enum class Texts {
    judged,    // may turn out to be numbers or dates
    as_given,  // stay what they are: a fit knows how to read them
  };
  ColumnBuilder(std::string path, std::string name, char delimiter, Texts texts)
      : path_(std::move(path)), name_(std::move(name)), delimiter_(delimiter), texts_(texts) {}

  const std::string& name() const { return name_; }
  // The user named the kind, so that it is not up to the cells.
  void require_kind(ColumnKind kind);
  const std::optional<ColumnKind>& required() const { return required_; }
  // A fit knows how the numbers or dates of the column are spelled.
  void expect_spelling();
  // Commas in numbers are known to be decimal, whatever the cells look like.
  void expect_decimal_commas() { commas_are_decimal_ = true; }

  // Looks at a cell without keeping it, so that a column of texts is known as such before the first row is kept; then
  // settles what the cells that were looked at tell.
  void look(std::string_view cell, std::size_t line);
  void settle_looks();
  void add(std::string_view cell, std::size_t line);
  void add_text(std::string_view cell, std::size_t line);
  void reserve(std::size_t rows);

  // Whether earlier cells were read as numbers and must be read again, as texts.
  bool incomplete() const { return incomplete_; }
  void start_again() { incomplete_ = false; }
  // Gives up the numbers if only the texts can tell, as beside `customs` what a point is.
  void reconsider(const Customs& customs);

  // When all cells are there: what they say of the table's customs, and the column; none if it is of no use. Raises
  // what only the whole column can tell. Empties the builder.
  void add_to(Customs& customs);
  std::optional<Column> finish(const Customs& customs, const Table& table, std::vector<std::string>& notes);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  struct Seen {
    std::int32_t code;
    std::size_t line;  // the first
  };
  bool read_number(std::string_view cell, std::size_t line, double& value);
  bool read_comma(std::string_view cell, std::size_t line, std::optional<double>& number);
  void turn_to_text();
  Column numeric_column(std::vector<std::string>& notes);
  void sort_levels();
  DistinctTexts distinct_texts();
  void take_values(const TextJudge::Verdict& verdict, const Table& table, Column& column,
                   std::vector<std::string>& notes) const;

  std::string path_;  // for messages
  std::string name_;
  char delimiter_;
  Texts texts_;
  std::optional<ColumnKind> required_;
  bool text_ = false;
  bool incomplete_ = false;
  std::vector<double> numbers_;
  std::vector<std::int32_t> codes_;
  std::unordered_map<std::string, Seen, Hash, std::equal_to<>> dictionary_;
  // Of a complete column of texts: what the codes are then places in.
  std::vector<std::string> levels_;
  std::vector<std::size_t> lines_;   // of the first cell of each
  std::vector<std::size_t> judged_;  // places of the texts that the judge has: it refers to them
  std::optional<TextJudge> judge_;

  // The first of each, of numbers as programs write them; points and commas where the cells are not parted by commas.
  Cell infinity_, blank_number_, point_, comma_;
  bool commas_are_decimal_ = false, decimal_comma_seen_ = false, decimal_point_seen_ = false, number_seen_ = false;
};

}  // namespace mbnn
