// How the texts of a column spell numbers: their unit, and what stands for decimals and thousands, told from all of
// them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mbnn/tables/columns/moment.h"
#include "mbnn/tables/columns/number_format.h"

namespace mbnn {

// The texts of a column, each once, without those that say that nothing is known.
struct DistinctTexts {
  std::vector<std::string_view> texts;  // which stand elsewhere
  std::vector<std::size_t> counts;      // cells that hold it
  std::vector<std::size_t> lines;       // the first of them
};

// What the rest of the table says of its customs.
struct Customs {
  char delimiter = ',';
  bool decimal_commas = false;  // some column has them for certain
  bool decimal_points = false;
  DayOrder order = DayOrder::unknown;  // of a column whose dates tell
};

class NumberSpelling {
 public:
  // `unit_optional`: cells with and without the unit are numbers of one kind.
  NumberSpelling(const DistinctTexts& cells, bool unit_optional);

  std::size_t cells() const { return any_; }  // that are numbers in some way, be it not that of the others
  bool decimal_commas() const { return certain(','); }
  bool decimal_points() const { return certain('.'); }

  struct Choice {
    NumberFormat format;
    std::string doubt = {};   // why, where the cells alone allow for another reading
    NumberFormat other = {};  // that reading
  };
  Choice choose(const Customs& customs) const;
  // The first text that the customs decide about; empty if none.
  std::string_view doubtful_text() const { return doubtful_; }
  // Two texts that only contradict each other if a point is taken for decimal and a comma as well.
  const std::optional<std::pair<std::size_t, std::size_t>>& contradiction() const { return contradiction_; }
  const std::string& unit() const { return unit_; }
  // A number that does not fit the others: by decimal sign or thousands; or by a unit of money or percent that it, or
  // they, lack.
  enum class Clash { none, signs, unit };
  Clash clash(std::string_view text) const;

 private:
  static constexpr std::array<std::pair<char, char>, 6> conventions{
      {{'.', ','}, {'.', ' '}, {'.', '\''}, {',', '.'}, {',', ' '}, {',', '\''}}};
  void choose_unit(const DistinctTexts& cells, const std::vector<std::optional<WrittenNumber>>& written);
  bool conforms(const WrittenNumber& number) const;
  bool possible(char decimal) const;
  bool certain(char decimal) const {
    return seen_[decimal == ','] && possible(decimal) && !possible(decimal == ',' ? '.' : ',');
  }
  NumberFormat format_of(char decimal) const;

  std::string unit_;
  bool unit_optional_;
  std::array<std::size_t, conventions.size()> counts_{};  // cells that each convention explains
  std::size_t plain_ = 0;                                 // cells as programs write them
  std::size_t best_ = 0, any_ = 0;
  std::array<bool, 2> seen_{};                     // a point, a comma
  bool small_whole_ = false, long_whole_ = false;  // without thousands to part; with some that are not parted
  std::string_view doubtful_;
  std::optional<std::pair<std::size_t, std::size_t>> contradiction_;
};

}  // namespace mbnn
