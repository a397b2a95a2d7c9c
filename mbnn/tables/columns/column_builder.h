// Builds one column cell by cell: numbers until a text is met, then the codes of its categories.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mbnn/tables/columns/table.h"

namespace mbnn {

class ColumnBuilder {
 public:
  // `required`: the user named the kind, so that it is not up to the cells.
  ColumnBuilder(std::string path, std::string name, ColumnKind kind, bool required)
      : path_(std::move(path)), name_(std::move(name)), kind_(kind), required_(required) {}

  const std::string& name() const { return name_; }
  ColumnKind kind() const { return kind_; }
  // Commas in numbers are known to be decimal, whatever the cells look like.
  void expect_decimal_commas() { commas_are_decimal_ = true; }
  // Whether earlier cells were read as numbers and must be read again as texts.
  bool incomplete() const { return incomplete_; }

  struct Sighting {  // the first cell of some sort; line 0 = none seen
    std::size_t line = 0;
    std::string cell;
    void see(std::string_view text, std::size_t at) {
      if (line == 0) {
        line = at;
        cell = text;
      }
    }
  };
  const Sighting& decimal_comma() const { return comma_; }
  const Sighting& decimal_point() const { return point_; }  // where commas could be decimal, too

  // Looks at a cell without keeping it, so that a column of texts is known as such before the first row is kept.
  void look(std::string_view cell, std::size_t line, char delimiter);
  void add(std::string_view cell, std::size_t line, char delimiter);
  void add_text(std::string_view cell);
  void start_again();
  void reserve(std::size_t rows);

  // Raises what only the whole column can tell: infinities, two kinds of decimal sign. Empties the builder.
  Column finish(std::vector<std::string>& notes);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  // Notes what tells decimal commas from those between thousands.
  void see_separators(std::string_view cell, std::size_t line, double number, bool with_comma);
  void refuse_doubtful_commas() const;
  bool read_number(std::string_view cell, std::size_t line, char delimiter, double& value);
  void turn_to_text(std::string_view cell, std::size_t line);
  void sort_levels(Column& column);
  void note_stray_texts(const Column& column, std::vector<std::string>& notes) const;

  std::string path_;  // for messages
  std::string name_;
  ColumnKind kind_;
  bool required_;
  bool incomplete_ = false;
  std::vector<double> numbers_;
  std::vector<std::int32_t> codes_;
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> dictionary_;
  Sighting text_, infinity_, blank_number_, point_, comma_, small_whole_;
  bool thousands_excluded_ = false, commas_are_decimal_ = false, number_seen_ = false;
};

}  // namespace mbnn
