// Tables are read as their writers meant them, and what cannot be read is refused with its place in the file.
#include "mbnn/tables/columns/table.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "mbnn/core/error.h"
#include "mbnn/tables/columns/records.h"
#include "tests/support/temporary_directory.h"

namespace mbnn {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class TableTest : public testing::Test {
 protected:
  std::string write(const std::string& content) const {
    const std::string path = directory_ / "data.csv";
    write_bytes(path, content);
    return path;
  }
  Table read(const std::string& content, const TableOptions& options = {}) const {
    return read_table(write(content), options);
  }
  std::string error_of(const std::string& content, const TableOptions& options = {}) const {
    try {
      read(content, options);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  TemporaryDirectory directory_;
};

std::vector<std::string> texts(const Column& column) {
  std::vector<std::string> cells;
  const std::size_t rows = column.kind == ColumnKind::numeric ? column.numbers.size() : column.codes.size();
  for (std::size_t row = 0; row < rows; ++row) cells.push_back(column.missing(row) ? "<missing>" : column.text(row));
  return cells;
}

TEST_F(TableTest, ReadsNumbersAndCategories) {
  const Table table = read("a,b,color\n1,2.5,red\n-3e2,+.5,blue\n007,1,red\n");
  ASSERT_EQ(table.rows, 3u);
  EXPECT_THAT(table.column_names(), ElementsAre("a", "b", "color"));
  EXPECT_THAT(table.columns[0].numbers, ElementsAre(1, -300, 7));
  EXPECT_THAT(table.columns[1].numbers, ElementsAre(2.5, 0.5, 1));
  EXPECT_EQ(table.columns[2].kind, ColumnKind::categorical);
  EXPECT_THAT(table.columns[2].levels, ElementsAre("blue", "red"));
  EXPECT_THAT(table.columns[2].codes, ElementsAre(1, 0, 1));
  EXPECT_THAT(table.notes, IsEmpty());
  EXPECT_EQ(table.index_of("b"), 1);
  EXPECT_EQ(table.index_of("2"), -1);
  EXPECT_EQ(table.find("z"), nullptr);
}

TEST_F(TableTest, GuessesTheDelimiter) {
  for (const std::string delimiter : {",", ";", "\t", " ", "   ", " \t "}) {
    const Table table = read("a" + delimiter + "b\n1" + delimiter + "2\n3" + delimiter + "4\n");
    ASSERT_EQ(table.columns.size(), 2u) << '[' << delimiter << ']';
    EXPECT_THAT(table.columns[1].numbers, ElementsAre(2, 4));
    EXPECT_EQ(table.notes.size(), delimiter == "," ? 0u : 1u);
  }
  EXPECT_THAT(read("a;b\n1;2\n").notes, ElementsAre(HasSubstr("semicolon")));
  EXPECT_THAT(texts(read("name, city\nAnn Lee, New York\n").columns[1]), ElementsAre("New York"));
  EXPECT_THAT(texts(read("only\nhello world\n").columns[0]), ElementsAre("hello world"));
  EXPECT_THAT(read("house size\n1\n2\n").columns[0].numbers, ElementsAre(1, 2));
  EXPECT_THAT(error_of("a b c\n1 2 3\n4 5\n"), AllOf(HasSubstr("line 3"), HasSubstr("blanks")));
  EXPECT_THAT(read("a|b\n1|2\n", {.delimiter = '|'}).columns[1].numbers, ElementsAre(2));
  EXPECT_THAT(error_of("a\n1\n", {.delimiter = '"'}), HasSubstr("delimiter"));
}

TEST_F(TableTest, BlanksMayLeadAndTrail) {
  const Table table = read("  a   b  \n  1\t 2 \n 3 4\n");
  EXPECT_THAT(table.columns[0].numbers, ElementsAre(1, 3));
  EXPECT_THAT(table.columns[1].numbers, ElementsAre(2, 4));
}

TEST_F(TableTest, QuotesFollowRfc4180) {
  const Table table =
      read("id,text\n1,\"a, b\"\n2,\"two\nlines\"\n3,\"say \"\"hi\"\"\"\n4, \"spaced\" \n5,5\" pipe\n\"6\",\"\"\n");
  EXPECT_THAT(texts(table.columns[1]),
              ElementsAre("a, b", "two\nlines", "say \"hi\"", "spaced", "5\" pipe", "<missing>"));
  EXPECT_THAT(table.columns[0].numbers, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(table.place(1, "text"), HasSubstr("data.csv, line 3, column 'text'"));
  EXPECT_THAT(table.place(2, "text"), HasSubstr("line 5"));  // the record before it spans two lines
}

// A chunk may end anywhere: a record cut short must ask for more, never pass for a shorter record.
TEST(Records, AnyPrefixIsIncomplete) {
  const std::string whole = "1, \"a \"\"b\"\"\r\nc\" ,x\r\n";
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    std::string text = whole.substr(0, length);
    std::vector<std::string_view> cells;
    const Split split = split_record(text.data(), text.data() + length, false, ',', cells);
    if (length < whole.size()) {
      EXPECT_EQ(split.status, Split::Status::incomplete) << length;
      EXPECT_EQ(text, whole.substr(0, length));  // so that it can be split again
    } else {
      EXPECT_EQ(split.lines, 2u);
      EXPECT_THAT(cells, ElementsAre("1", "a \"b\"\r\nc", "x"));
    }
  }
}

TEST_F(TableTest, LineEndsByteOrderMarkAndBlankLines) {
  for (const char* content : {"a,b\r\n1,2\r\n3,4\r\n", "a,b\n1,2\n3,4",
                              "\xEF\xBB\xBF"
                              "a,b\n1,2\n3,4\n",
                              "a,b\r1,2\r3,4\r", "\n\na,b\n\n1,2\n  \n3,4\n\n"}) {
    const Table table = read(content);
    EXPECT_EQ(table.columns[0].name, "a") << content;
    EXPECT_THAT(table.columns[1].numbers, ElementsAre(2, 4)) << content;
  }
  EXPECT_THAT(read("a,b\n1,2\n\n\n3,4\n").place(1, "a"), HasSubstr("line 5"));
}

TEST_F(TableTest, MissingCells) {
  const Table table = read("n,c\n,\nNA,na\nnan,NaN\n?,?\nN/A,n/a\nNULL,null\n1,x\n");
  EXPECT_THAT(texts(table.columns[0]), testing::Contains("<missing>").Times(6));
  EXPECT_THAT(texts(table.columns[1]), testing::Contains("<missing>").Times(6));
  EXPECT_EQ(table.columns[0].kind, ColumnKind::numeric);
  EXPECT_THAT(table.columns[1].levels, ElementsAre("x"));
  EXPECT_EQ(read("a,b\n1,\n2,NA\n").columns[1].kind, ColumnKind::numeric);
}

// Caught: a dot or dash that made a column of numbers one of categories, which then was dropped as an identifier.
TEST_F(TableTest, WhatStandsForAMissingNumberIsACategoryAmongTexts) {
  const Table table = read("n,c\n1,none\nNone,none\n.,mild\n-,-\n#N/A,severe\n2,mild\n");
  EXPECT_THAT(texts(table.columns[0]), testing::Contains("<missing>").Times(4));
  EXPECT_EQ(table.columns[0].kind, ColumnKind::numeric);
  EXPECT_THAT(table.columns[1].levels, ElementsAre("-", "mild", "none", "severe"));
  EXPECT_THAT(table.notes, ElementsAre(AllOf(HasSubstr("'None' on line 3"), HasSubstr("missing"))));
}

TEST_F(TableTest, BlankLinesAmongTheRowsOfOneColumnAreSaid) {
  EXPECT_THAT(read("\na\n1\n\n3\n\n").notes, ElementsAre(HasSubstr("left out: 1 ")));
  EXPECT_THAT(read("\na\n1\n3\n\n\n").notes, IsEmpty());
  EXPECT_THAT(read("a,b\n1,2\n\n3,4\n").notes, IsEmpty());
}

TEST_F(TableTest, WithoutHeaderColumnsHaveNumbers) {
  const Table table = read("1,2\n3,4\n", {.header = false, .categorical = {"2"}});
  EXPECT_EQ(table.rows, 2u);
  EXPECT_THAT(table.column_names(), ElementsAre("x1", "x2"));
  EXPECT_EQ(table.index_of("2"), 1);
  EXPECT_EQ(table.index_of("3"), -1);
  EXPECT_EQ(table.index_of("0"), -1);
  EXPECT_EQ(table.columns[1].kind, ColumnKind::categorical);
  EXPECT_THAT(table.place(0, "x1"), HasSubstr("line 1"));
}

TEST_F(TableTest, SaysWhatIsOddAboutTheHeader) {
  EXPECT_THAT(read("1,2\n3,4\n").notes, ElementsAre(AllOf(HasSubstr("line 1"), HasSubstr("no-header"))));
  const Table table = read(",a\n1,2\n");
  EXPECT_EQ(table.columns[0].name, "x1");
  EXPECT_THAT(table.notes, ElementsAre(HasSubstr("has no name")));
  EXPECT_THAT(read(",x1,x2\n0,1,2\n").column_names(), ElementsAre("x1_", "x1", "x2"));
}

TEST_F(TableTest, DecimalCommas) {
  const Table table = read("a;b\n3,14;2\n-1,5;3\n");
  EXPECT_THAT(table.columns[0].numbers, ElementsAre(3.14, -1.5));
  EXPECT_THAT(table.notes, testing::Contains(AllOf(HasSubstr("decimal commas"), HasSubstr("a"))));
  EXPECT_THAT(error_of("a;b\n3,14;2\n5.6;3\n"), AllOf(HasSubstr("'a'"), HasSubstr("line 2"), HasSubstr("line 3")));
}

// Caught: 3,364 read as 3.364 beside 935.
TEST_F(TableTest, TheWholeColumnTellsWhatACommaIs) {
  EXPECT_THAT(read("a;b\n1;3,364\n2;935\n").columns[1].numbers, ElementsAre(3364, 935));
  for (const char* decimal : {"0,125", "3,36", "1234,567", "-2,5"})  // one such cell tells
    EXPECT_EQ(read(fmt::format("a;b\n1;3,364\n2;935\n3;{}\n", decimal)).columns[1].numbers[0], 3.364) << decimal;
  EXPECT_EQ(read("a;b\n1;3,364\n2;9350\n3;7\n").columns[1].numbers[0], 3.364);
}

TEST_F(TableTest, KindsCanBeNamed) {
  const Table table = read("a,b\n10,1\n9,2\n10,3\n", {.categorical = {"a"}, .numeric = {"b"}});
  EXPECT_THAT(table.columns[0].levels, ElementsAre("9", "10"));  // by value
  EXPECT_THAT(table.columns[0].codes, ElementsAre(1, 0, 1));
  EXPECT_THAT(error_of("age,b\n1,2\n", {.categorical = {"Agee"}}),
              AllOf(HasSubstr("'Agee'"), HasSubstr("columns are age, b"), HasSubstr("did you mean 'age'")));
  EXPECT_EQ(read("a\n1\n", {.categorical = {"z"}, .ignore_absent = true}).rows, 1u);
  EXPECT_THAT(error_of("a,b\n1,2\n3,oops\n", {.numeric = {"b"}}),
              AllOf(HasSubstr("data.csv, line 3, column 'b'"), HasSubstr("'oops' is not a number")));
  EXPECT_THAT(error_of("a\n1\n", {.categorical = {"a"}, .numeric = {"a"}}), HasSubstr("both"));
}

// Caught: a number that named another column once one before it was ignored; a column that is ignored yet read.
TEST_F(TableTest, ColumnsCanBeIgnored) {
  const Table table = read("id,a,b\n1.5,1,2\n2,5,4\n", {.ignore = {"id", "b"}});
  EXPECT_THAT(table.column_names(), ElementsAre("a"));
  EXPECT_THAT(table.columns[0].numbers, ElementsAre(1, 5));
  EXPECT_EQ(read("id;a\n1,5;1\ninf;2\n1.5;3\n", {.ignore = {"id"}}).notes.size(), 1u);  // the delimiter alone
  EXPECT_THAT(error_of("id,a\n1,2\n", {.ignore = {"ID"}}), AllOf(HasSubstr("'ID' to ignore"), HasSubstr("'id'")));
  const Table bare = read("1,2,3\n4,5,6\n", {.header = false, .ignore = {"1"}});
  EXPECT_THAT(bare.column_names(), ElementsAre("x2", "x3"));
  EXPECT_EQ(bare.index_of("2"), 0);
  EXPECT_EQ(bare.index_of("1"), -1);
}

TEST_F(TableTest, AStrayTextIsSaid) {
  const Table table = read("a\n1\n2\nlow\n4\n");
  EXPECT_EQ(table.columns[0].kind, ColumnKind::categorical);
  EXPECT_THAT(table.notes, ElementsAre(AllOf(HasSubstr("'low' on line 4"), HasSubstr("3 of its 4 cells"))));
}

// Larger than several chunks: the text comes after the column was taken for numbers, and records cross chunk borders.
TEST_F(TableTest, TextLateInALargeFile) {
  const std::size_t rows = 100000;
  for (const bool header : {true, false}) {
    std::string content = header ? "a,b,c\n" : "";
    for (std::size_t i = 0; i < rows; ++i)
      content += std::to_string(i) + (i == 90000 ? ",late," : ",07,") + "\"quoted, " + std::to_string(i % 3) + "\"\n";
    const Table table = read(content, {.header = header});
    ASSERT_EQ(table.rows, rows);
    double sum = 0;
    for (const double value : table.columns[0].numbers) sum += value;
    EXPECT_EQ(sum, 0.5 * rows * (rows - 1));
    EXPECT_THAT(table.columns[1].levels, ElementsAre("07", "late"));  // as written, not 7
    ASSERT_EQ(table.columns[1].codes.size(), rows);
    EXPECT_EQ(table.columns[1].codes[90000], 1);
    EXPECT_EQ(table.columns[1].codes[89999], 0);
    EXPECT_THAT(table.columns[2].levels, ElementsAre("quoted, 0", "quoted, 1", "quoted, 2"));
    for (std::size_t i = 0; i < rows; ++i) ASSERT_EQ(table.columns[2].codes[i], static_cast<int>(i % 3));
    EXPECT_EQ(table.line_runs.size(), 1u);
  }
}

TEST_F(TableTest, MemoryIsReservedNotDoubled) {
  std::string content = "a,b\n";
  for (int i = 0; i < 200000; ++i) content += "1.25,2.5\n";
  EXPECT_LT(read(content).columns[0].numbers.capacity(), 210000u);
}

TEST_F(TableTest, FilesThatAreNoTables) {
  const auto error = [&](const std::string& path) {
    try {
      read_table(path, {});
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(error(directory_ / "absent.csv"), AllOf(HasSubstr("absent.csv"), HasSubstr("cannot be opened")));
  EXPECT_THAT(error(directory_.path()), HasSubstr("is a directory"));
  EXPECT_THAT(error_of(""), HasSubstr("is empty"));
  EXPECT_THAT(error_of("\n \n"), HasSubstr("is empty"));
  EXPECT_THAT(error_of("a,b\n"), HasSubstr("no rows of data"));
}

TEST_F(TableTest, ErrorsNameTheirPlace) {
  EXPECT_THAT(error_of("a,b\n1,2\n\n1,2,3\n"), HasSubstr("data.csv, line 4: 3 cells found, 2 expected"));
  EXPECT_THAT(error_of("a,b,c\n1,2\n"), HasSubstr("line 2: 2 cells found, 3 expected"));
  EXPECT_THAT(error_of("a,b,a\n1,2,3\n"), AllOf(HasSubstr("columns 1 and 3"), HasSubstr("'a'")));
  EXPECT_THAT(error_of("a,b\n1,2\n3,inf\n"), HasSubstr("data.csv, line 3, column 'b': 'inf' is infinite"));
  EXPECT_THAT(error_of("a,b\n1e999,2\n"), HasSubstr("line 2, column 'a': '1e999' is infinite"));
  EXPECT_THAT(error_of("a,b\n1,2\n\"x\n3,4\n"), AllOf(HasSubstr("line 3"), HasSubstr("never closed")));
  EXPECT_THAT(error_of("a,b\n1,2\n\"x\"y,4\n"), AllOf(HasSubstr("line 3"), HasSubstr("after its closing quote")));
}

TEST_F(TableTest, OnlyUtf8IsRead) {
  EXPECT_THAT(texts(read("a\n\xC3\xA9t\xC3\xA9\n\xE2\x82\xAC\n\xF0\x9F\x98\x80\n").columns[0]),
              ElementsAre("\xC3\xA9t\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"));
  for (const char* bad :
       {"caf\xE9", "\xC0\xAF", "\xED\xA0\x80", "\xF5\x80\x80\x80", "long enough text \xFF for a word", "\xE2\x82"})
    EXPECT_THAT(error_of(std::string("a,b\n1,x\n1,") + bad + "\n"), AllOf(HasSubstr("line 3"), HasSubstr("UTF-8")))
        << bad;
  EXPECT_THAT(error_of(std::string("a,b\n1,\0xxxxxxxxxx\n", 18)), AllOf(HasSubstr("line 2"), HasSubstr("0x00")));
}

TEST_F(TableTest, AWordThatSpellsInfinityIsTextAmongTexts) {
  EXPECT_THAT(read("a\ninf\nsup\n").columns[0].levels, ElementsAre("inf", "sup"));
}

}  // namespace
}  // namespace mbnn
