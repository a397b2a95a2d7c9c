// What a column of texts is: numbers in some spelling, dates, or categories. Told from all of its cells together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mbnn/tables/columns/cell_form.h"
#include "mbnn/tables/columns/number_spelling.h"
#include "mbnn/tables/columns/table.h"

namespace mbnn {

class TextJudge {
 public:
  // `wanted`: what the user said that the column is.
  TextJudge(std::string path, std::string column, DistinctTexts cells, std::optional<ColumnKind> wanted);

  // What it says of the customs of its table.
  bool decimal_commas() const { return numeric() && numbers_.decimal_commas(); }
  bool decimal_points() const { return numeric() && numbers_.decimal_points(); }
  DayOrder order() const { return dated() && !dates_.doubtful() ? dates_.order() : DayOrder::unknown; }

  // 01234: all are whole numbers, some with a zero in front, as codes have it.
  bool codes() const;

  struct Verdict {
    ColumnKind kind = ColumnKind::categorical;
    CellForm form = {};
    bool usable = true;                              // else the note says why the column is left out
    std::vector<std::optional<double>> values = {};  // of numbers and dates, by text; none where a text is neither
    std::string note = {};
  };
  // Throws InputError where nothing is right.
  Verdict judge(const Customs& customs) const;

 private:
  bool numeric() const;
  bool dated() const;
  Verdict categories(std::string note = {}) const;
  Verdict read_numbers(const Customs& customs) const;
  Verdict read_dates(const Customs& customs) const;
  DayOrder settled_order(const Customs& customs) const;
  // Refuses numbers that contradict the others; where other texts are among them, lets them pass as missing, takes all
  // as categories, or refuses.
  void refuse_clash(const Verdict& verdict, std::string_view example) const;
  Verdict with_strays(Verdict verdict, const char* what) const;
  std::string place(std::size_t text) const;

  std::string path_, name_;
  DistinctTexts cells_;
  std::optional<ColumnKind> wanted_;
  std::size_t all_ = 0;
  bool words_;  // hardly any are numbers or dates
  NumberSpelling numbers_;
  DateTally dates_;
  std::size_t clock_ = 0;  // cells that are times of day
};

}  // namespace mbnn
