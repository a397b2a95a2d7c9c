// A table in memory has the columns that a file with the same cells has, and is refused for the same reasons.
#include "mbnn/tables/columns/table_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "mbnn/core/error.h"
#include "tests/support/temporary_directory.h"

namespace mbnn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const double kMissing = std::numeric_limits<double>::quiet_NaN();

Table read(const std::string& content, const TableOptions& options = {}) {
  const TemporaryDirectory directory;
  write_bytes(directory / "data.csv", content);
  return read_table(directory / "data.csv", options);
}

std::string refusal_of(const std::function<void(TableBuilder&)>& add, const TableOptions& options = {}) {
  try {
    TableBuilder builder("rows", options);
    add(builder);
    builder.finish();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

// Kind and cells; numbers to their last bit.
void expect_same(const Column& built, const Column& of_file) {
  EXPECT_EQ(built.name, of_file.name);
  EXPECT_EQ(built.kind, of_file.kind) << built.name;
  EXPECT_EQ(built.codes, of_file.codes) << built.name;
  EXPECT_EQ(built.levels, of_file.levels) << built.name;
  ASSERT_EQ(built.numbers.size(), of_file.numbers.size()) << built.name;
  for (std::size_t row = 0; row < built.numbers.size(); ++row)
    if (!std::isnan(built.numbers[row]) || !std::isnan(of_file.numbers[row]))
      EXPECT_EQ(built.numbers[row], of_file.numbers[row]) << built.name;
}

// Seen to fail: levels left in the order in which they come; blanks around a text kept; numeric texts left as texts.
TEST(TableBuilder, GivesTheColumnsOfAFileWithTheSameCells) {
  TableBuilder builder("rows");
  builder.add_numbers("size", {1.5, kMissing, -3e200, 0.1});
  const std::vector<std::string> colours{"red", " blue ", "NA"};
  builder.add_texts("colour", colours, std::vector<std::int64_t>{0, 1, 2, -1}, false);
  const std::vector<std::string> counts{"10", "9", "none"};
  builder.add_texts("count", counts, std::vector<std::int64_t>{0, 1, 1, 2}, false);
  const Table built = builder.finish();
  const Table of_file = read("size,colour,count\n1.5,red,10\n, blue ,9\n-3e200,NA,9\n0.1,,none\n");
  ASSERT_EQ(built.rows, of_file.rows);
  ASSERT_EQ(built.columns.size(), of_file.columns.size());
  for (std::size_t i = 0; i < built.columns.size(); ++i) expect_same(built.columns[i], of_file.columns[i]);
  EXPECT_EQ(built.columns[1].kind, ColumnKind::categorical);
  EXPECT_EQ(built.columns[2].kind, ColumnKind::numeric);
  EXPECT_EQ(built.place(2, "size"), "row 3, column 'size'");
}

TEST(TableBuilder, FollowsTheOptionsThatNameColumns) {
  const TableOptions options{.categorical = {"zone"}, .numeric = {"price"}, .ignore = {"id"}};
  TableBuilder builder("rows", options);
  builder.add_numbers("id", {1, 2, 3});
  builder.add_numbers("zone", {10, 9, kMissing});
  const std::vector<std::string> prices{"7", "8.5"};
  builder.add_texts("price", prices, std::vector<std::int64_t>{1, 0, -1}, true);
  const Table built = builder.finish();
  const Table of_file = read("id,zone,price\n1,10,8.5\n2,9,7\n3,,\n", options);
  ASSERT_THAT(built.column_names(), ElementsAre("zone", "price"));
  for (std::size_t i = 0; i < 2; ++i) expect_same(built.columns[i], of_file.columns[i]);
  EXPECT_THAT(built.columns[0].levels, ElementsAre("9", "10"));
}

TEST(TableBuilder, NumbersAsCategoriesStayCategories) {
  TableBuilder builder("rows");
  const std::vector<std::string> zones{"1", "2"};
  builder.add_texts("zone", zones, std::vector<std::int64_t>{1, 0, 1}, true);
  EXPECT_EQ(builder.finish().columns[0].kind, ColumnKind::categorical);
}

TEST(TableBuilder, RefusesWhatIsNoTable) {
  const std::vector<std::string> texts{"a", "b"};
  const auto numbers = [](const char* name, std::vector<double> values) {
    return [=](TableBuilder& builder) { builder.add_numbers(name, values); };
  };
  EXPECT_EQ(refusal_of(numbers("x", {1, 2, -INFINITY})),
            "row 3, column 'x': -inf is infinite; expected a finite number, or NaN if it is not known");
  EXPECT_EQ(refusal_of([](TableBuilder&) {}), "rows: has no rows");
  EXPECT_EQ(refusal_of(numbers("x", {})), "rows: has no rows");
  EXPECT_EQ(refusal_of(numbers("", {1})), "rows: column 1 has no name");
  EXPECT_EQ(refusal_of([](TableBuilder& b) { b.add_numbers("x", {1}), b.add_numbers("x", {1}); }),
            "rows: two columns are named 'x'; names must differ");
  EXPECT_EQ(refusal_of([](TableBuilder& b) {
              b.add_numbers("x", {1, 2}), b.add_numbers("y", {1});
            }),
            "rows: column 'x' has 2 rows, column 'y' has 1");
  EXPECT_THAT(refusal_of([&](TableBuilder& b) {
                b.add_texts("x", texts, std::vector<std::int64_t>{0, 2}, false);
              }),
              HasSubstr("place of a text = 2: must be one of the texts, or -1"));
  EXPECT_THAT(refusal_of([&](TableBuilder& b) {
                b.add_texts("x", texts, std::vector<std::int64_t>{0, -2}, false);
              }),
              HasSubstr("place of a text = -2"));
  EXPECT_THAT(refusal_of(
                  [&](TableBuilder& b) {
                    b.add_texts("x", texts, std::vector<std::int64_t>{1, 0}, false);
                  },
                  {.numeric = {"x"}}),
              HasSubstr("'b' is not a number, but the column was named as numeric"));
  EXPECT_THAT(refusal_of(numbers("size", {1}), {.ignore = {"sise"}}), HasSubstr("did you mean 'size'?"));
  EXPECT_THAT(refusal_of(numbers("size", {1}), {.categorical = {"zone"}}), HasSubstr("to be read as categories"));
  EXPECT_EQ(refusal_of(numbers("size", {1}), {.categorical = {"zone"}, .ignore_absent = true}), "no error");
}

}  // namespace
}  // namespace mbnn
