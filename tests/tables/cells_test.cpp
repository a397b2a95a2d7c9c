// Columns as people write them, read from a file: what becomes of their cells, and what is said of it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "mbnn/core/error.h"
#include "mbnn/tables/columns/table.h"
#include "tests/support/temporary_directory.h"

namespace mbnn {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Cells : public testing::Test {
 protected:
  Table read(const std::string& content, const TableOptions& options = {}) const {
    write_bytes(directory_ / "t.csv", content);
    return read_table(directory_ / "t.csv", options);
  }
  // A column of these cells in quotes, beside a column of numbers.
  Table column(const std::vector<std::string>& cells, const TableOptions& options = {}) const {
    std::string text = "c,y\n";
    for (const std::string& cell : cells) text += fmt::format("\"{}\",1\n", cell);
    return read(text, options);
  }
  std::vector<double> numbers(const std::vector<std::string>& cells, const TableOptions& options = {}) const {
    const Table table = column(cells, options);
    EXPECT_EQ(table.columns[0].kind, ColumnKind::numeric) << cells[0];
    return table.columns[0].numbers;
  }
  std::string refusal(const std::vector<std::string>& cells, const TableOptions& options = {}) const {
    try {
      column(cells, options);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }
  // So many numbers that all differ, and these texts behind them.
  static std::vector<std::string> beside_numbers(int count, const std::vector<std::string>& texts) {
    std::vector<std::string> cells;
    for (int i = 0; i < count; ++i) cells.push_back(std::to_string(100 + i));
    cells.insert(cells.end(), texts.begin(), texts.end());
    return cells;
  }

  TemporaryDirectory directory_;
};

TEST_F(Cells, ReadsNumbersInAllSpellings) {
  EXPECT_THAT(numbers({"$1,234.50", "$5.00", "-$7.25", "($2.00)"}), ElementsAre(1234.5, 5, -7.25, -2));
  EXPECT_THAT(numbers({"EUR 12", "12.5 EUR", "EUR 1,000"}), ElementsAre(12, 12.5, 1000));
  EXPECT_THAT(numbers({"1 234,50 \u20ac", "7,00 \u20ac"}), ElementsAre(1234.5, 7));
  EXPECT_THAT(numbers({"35%", "12.5%", "0"}), ElementsAre(35, 12.5, 0));
  EXPECT_THAT(numbers({"1,234", "12,345,678", "9"}), ElementsAre(1234, 12345678, 9));
  EXPECT_THAT(numbers({"1.234,5", "12,25"}), ElementsAre(1234.5, 12.25));
  EXPECT_THAT(numbers({"1'234.5", "2"}), ElementsAre(1234.5, 2));
  EXPECT_THAT(numbers({"1\u00a0234", "12"}), ElementsAre(1234, 12));
  EXPECT_THAT(numbers({"(5)", "7-", "+3"}), ElementsAre(-5, -7, 3));
  EXPECT_THAT(numbers({"12 kg", "7kg", "9.5 Kg"}), ElementsAre(12, 7, 9.5));
  EXPECT_THAT(numbers({"1 day", "3 days"}), ElementsAre(1, 3));
}

TEST_F(Cells, SaysOnceHowAColumnIsRead) {
  EXPECT_THAT(column({"$1,234.50", "$5.00"}).notes, ElementsAre("'c': '$1,234.50' is read as 1234.5"));
  EXPECT_THAT(column({"0", "12%", "7%"}).notes, ElementsAre("'c': '12%' is read as 12"));
  EXPECT_THAT(column({"1,234", "5,678"}).notes,
              ElementsAre("'c': '1,234' is read as 1234 and not as 1.234, since commas part the cells, too"));
  EXPECT_THAT(column({"1", "2.5"}).notes, IsEmpty());
}

// The convention is that of the column where it tells, else that of the others.
TEST_F(Cells, OtherColumnsTellWhatASignIs) {
  const Table points = read("a;b\n1,234;0.5\n2,345;1.5\n");
  EXPECT_THAT(points.columns[0].numbers, ElementsAre(1234, 2345));
  EXPECT_THAT(points.columns[1].numbers, ElementsAre(0.5, 1.5));
  const Table commas = read("a;b\n1.234;0,5\n935;1,5\n");
  EXPECT_THAT(commas.columns[0].numbers, ElementsAre(1234, 935));
  EXPECT_THAT(commas.columns[1].numbers, ElementsAre(0.5, 1.5));
  const Table each = read("a\tb\n1.5\t3,36\n2\t935\n");  // neither may part thousands
  EXPECT_THAT(each.columns[0].numbers, ElementsAre(1.5, 2));
  EXPECT_THAT(each.columns[1].numbers, ElementsAre(3.36, 935));
}

TEST_F(Cells, RefusesNumbersThatContradictEachOther) {
  EXPECT_THAT(refusal({"1,234", "1.234"}), AllOf(HasSubstr("t.csv, column 'c': line 2 has a comma ('1,234')"),
                                                 HasSubstr("line 3 a point ('1.234')"), HasSubstr("one way")));
  EXPECT_THAT(refusal({"1,5", "2,5", "3,5", "4.5"}),
              AllOf(HasSubstr("t.csv, line 5, column 'c': '4.5'"), HasSubstr("'1,5'"), HasSubstr("one way")));
  EXPECT_THAT(refusal({"$5", "$6", "$7", "8"}),
              AllOf(HasSubstr("line 5, column 'c': '8'"), HasSubstr("type c=number"), HasSubstr("type c=category")));
  EXPECT_THAT(numbers({"$5", "$6", "$7", "8"}, {.numeric = {"c"}}), ElementsAre(5, 6, 7, 8));
}

// Seen to fail: what is said of a number in another convention, where only some cells may be read both ways.
TEST_F(Cells, RefusesWhatIsNoNumberAtAllOrInNoWay) {
  EXPECT_THAT(refusal({"low", "high"}, {.numeric = {"c"}}), HasSubstr("line 2, column 'c': 'low' is not a number"));
  EXPECT_THAT(refusal({"0,5", "1,234.5"}), AllOf(HasSubstr("line 2, column 'c': '0,5'"), HasSubstr("one way")));
  EXPECT_THAT(refusal({"0,5", "1,234.5", "1,234"}), HasSubstr("column 'c'"));
  EXPECT_THAT(column({"unknown", "-"}, {.numeric = {"c"}}).columns[0].numbers, testing::Each(testing::IsNan()));
  EXPECT_THAT(refusal({"low"}, {.dates = {"c"}}), HasSubstr("'low' is not a date"));
}

TEST_F(Cells, CategoriesStayCategories) {
  for (const std::vector<std::string>& cells : std::vector<std::vector<std::string>>{{"5 kg", "7 lb", "9 kg", "4 lb"},
                                                                                     {"100A", "101B", "102C"},
                                                                                     {"Q1", "Q2"},
                                                                                     {"0-5", "6-10"},
                                                                                     {"0", "1", "2", "3+"},
                                                                                     {"A4", "A5"},
                                                                                     {"1.2.3", "1.2.10"},
                                                                                     {"May 12", "May 13"},
                                                                                     {"unknown", "none"}})
    EXPECT_EQ(column(cells).columns[0].kind, ColumnKind::categorical) << cells[0];
}

TEST_F(Cells, CodesWithLeadingZerosAreCategories) {
  const Table table = column({"02139", "10001", "94105", "NA"});
  EXPECT_THAT(table.columns[0].levels, ElementsAre("02139", "10001", "94105"));
  EXPECT_THAT(table.notes, ElementsAre(AllOf(HasSubstr("'c' is read as categories"), HasSubstr("'02139'"))));
  EXPECT_TRUE(table.columns[0].digits);
  EXPECT_THAT(numbers({"02139", "10001"}, {.numeric = {"c"}}), ElementsAre(2139, 10001));
  EXPECT_THAT(numbers({"01", "12"}), ElementsAre(1, 12));  // months, hours
  EXPECT_THAT(numbers({"007", "2.5"}), ElementsAre(7, 2.5));
}

TEST_F(Cells, AFewStrayCellsAreMissing) {
  const Table table = column(beside_numbers(38, {"1o7", "unknown", "n/a?", "unknown"}));
  EXPECT_EQ(table.columns[0].kind, ColumnKind::numeric);
  for (int row = 38; row < 42; ++row) EXPECT_TRUE(std::isnan(table.columns[0].numbers[static_cast<std::size_t>(row)]));
  EXPECT_THAT(table.notes,
              ElementsAre("'c': '1o7' on line 40, 'unknown' on lines 41, 43, 'n/a?' on line 42 are read as "
                          "missing, for all else is numbers"));
  EXPECT_EQ(table.columns[0].stray.text, "1o7");
  EXPECT_EQ(table.columns[0].blank_number.line, 41u);
  EXPECT_THAT(numbers({"$5", "-", "$7"})[0], 5);
}

TEST_F(Cells, ManyStrayCellsAreRefusedWithBothWaysOut) {
  EXPECT_THAT(refusal(beside_numbers(40, {"low", "high", "low", "mid"})),
              AllOf(HasSubstr("t.csv, line 42, column 'c': 'low' is not a number, nor are 4 of the 44 cells"),
                    HasSubstr("type c=category"), HasSubstr("write NA"), HasSubstr("ignore c")));
  EXPECT_EQ(column(beside_numbers(40, {"low", "high", "low", "mid"}), {.categorical = {"c"}}).columns[0].kind,
            ColumnKind::categorical);
  EXPECT_THAT(refusal(beside_numbers(3, {"low"}), {.numeric = {"c"}}),
              HasSubstr("line 5, column 'c': 'low' is not a number, but the column was named as numeric"));
  std::vector<std::string> codes;  // ticket numbers: more of them differ than slips do
  for (int i = 0; i < 15; ++i) codes.push_back(fmt::format("A/{} {}", i, 7 * i));
  const Table table = column(beside_numbers(40, codes));
  EXPECT_EQ(table.columns[0].kind, ColumnKind::categorical);
  EXPECT_THAT(table.notes, ElementsAre(AllOf(HasSubstr("'A/0 0' on line 42"), HasSubstr("40 of its 55 cells"))));
}

std::vector<std::string> dates_of(const Column& column) {
  std::vector<std::string> texts;
  for (std::size_t row = 0; row < column.numbers.size(); ++row) texts.push_back(column.text(row));
  return texts;
}

TEST_F(Cells, ReadsDates) {
  for (const std::vector<std::string>& cells :
       std::vector<std::vector<std::string>>{{"2021-03-04", "2021-12-25", "unknown"},
                                             {"4.3.2021", "25.12.2021", "-"},
                                             {"03/04/2021", "12/25/2021", ""},
                                             {"04/03/21", "25/12/21", "NA"},
                                             {"4-Mar-21", "25-Dec-21", "n/a?"},
                                             {"Thu, Mar 4, 2021", "Saturday 25 December 2021", ""}}) {
    const Table table = column(cells);
    EXPECT_EQ(table.columns[0].kind, ColumnKind::date) << cells[0];
    EXPECT_THAT(dates_of(table.columns[0]), ElementsAre("2021-03-04", "2021-12-25", "")) << cells[0];
  }
  EXPECT_THAT(
      dates_of(column({"2021-03-04T12:30:00Z", "2021-03-04 01:05 PM", "2021-03-04 23:59:59.5+02:00"}).columns[0]),
      ElementsAre("2021-03-04 12:30:00", "2021-03-04 13:05:00", "2021-03-04 23:59:59"));
  EXPECT_THAT(dates_of(column({"12:30", "23:15:10", "7:05 AM"}).columns[0]),
              ElementsAre("12:30:00", "23:15:10", "07:05:00"));
  EXPECT_THAT(dates_of(column({"2019", "2021"}, {.dates = {"c"}}).columns[0]), ElementsAre("2019-01-01", "2021-01-01"));
  EXPECT_THAT(dates_of(column({"20210304"}, {.dates = {"c"}}).columns[0]), ElementsAre("2021-03-04"));
  EXPECT_THAT(dates_of(column({"202103"}, {.dates = {"c"}}).columns[0]), ElementsAre("2021-03-01"));
  EXPECT_THAT(numbers({"2019", "2021"}), ElementsAre(2019, 2021));  // as ever
  EXPECT_THAT(refusal({"2021-03-04", "soon"}, {.dates = {"c"}}),
              HasSubstr("line 3, column 'c': 'soon' is not a date, but the column was named as one of dates"));
}

TEST_F(Cells, DatesThatMayBeReadTwoWaysAreLeftOut) {
  const Table table = column({"03/04/2021", "05/06/2021"});
  EXPECT_THAT(table.column_names(), ElementsAre("y"));
  EXPECT_THAT(table.notes, ElementsAre(AllOf(HasSubstr("'c' is left out: '03/04/2021' may be day/month or month/day"),
                                             HasSubstr("2021-03-04"))));
  EXPECT_THAT(refusal({"03/04/2021"}, {.dates = {"c"}}), HasSubstr("may be day/month or month/day"));
  const Table told = read("a,b\n03/04/2021,04/03/2021\n05/06/2021,06/13/2021\n");
  EXPECT_THAT(dates_of(told.columns[0]), ElementsAre("2021-03-04", "2021-05-06"));
  EXPECT_THAT(told.notes, ElementsAre(HasSubstr("the month of '03/04/2021' comes first, as in other columns")));
}

// Far into a file: numbers that turn out to be codes, commas that turn out to part thousands.
TEST_F(Cells, WhatOnlyTheEndTellsHolds) {
  std::string text = "code;amount;point\n";
  const int rows = 60000;
  for (int i = 0; i < rows; ++i)
    text += fmt::format("{};{};{}\n", i == rows - 1 ? "00123" : "12345", i == rows - 1 ? "1,234.5" : "7", "1.5");
  const Table table = read(text);
  EXPECT_EQ(table.columns[0].kind, ColumnKind::categorical);
  EXPECT_THAT(table.columns[0].levels, testing::UnorderedElementsAre("00123", "12345"));
  EXPECT_EQ(table.columns[1].numbers.back(), 1234.5);
  EXPECT_EQ(table.columns[1].numbers.front(), 7);
}

// A later table of a fit: texts stay texts, for the fit knows what they are; words for nothing are missing.
TEST_F(Cells, AFitReadsTheTextsItself) {
  const Table table = column({"$5", "unknown"}, {.spelled = {"c"}, .judge_texts = false});
  EXPECT_THAT(table.columns[0].levels, ElementsAre("$5"));
  EXPECT_TRUE(table.columns[0].missing(1));
  EXPECT_THAT(numbers({"007", "2"}, {.judge_texts = false}), ElementsAre(7, 2));
}

}  // namespace
}  // namespace mbnn
