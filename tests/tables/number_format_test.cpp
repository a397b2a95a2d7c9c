// Numbers as people write them: what a cell is taken apart into, and what its column's format makes of it.
#include "mbnn/tables/columns/number_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "mbnn/core/error.h"
#include "mbnn/tables/columns/number_spelling.h"

namespace mbnn {
namespace {

TEST(WrittenNumbers, AreTakenApart) {
  struct Case {
    const char* cell;
    bool negative;
    const char* digits;
    const char* unit;
  };
  for (const Case& c : std::vector<Case>{
           {"12", false, "12", ""},
           {"$1,234.50", false, "1,234.50", "$"},
           {"-$5", true, "5", "$"},
           {"$-5", true, "5", "$"},
           {"- 5", true, "5", ""},
           {"\u22125.5", true, "5.5", ""},  // the minus sign of typesetters
           {"5-", true, "5", ""},
           {"5.00- EUR", true, "5.00", "EUR"},
           {"5 \u20ac-", true, "5", "\u20ac"},
           {"(5)", true, "5", ""},
           {"($1,234)", true, "1,234", "$"},
           {"$(5)", true, "5", "$"},
           {"(12.5%)", true, "12.5", "%"},
           {"EUR 12", false, "12", "EUR"},
           {"EUR12", false, "12", "EUR"},
           {"12 EUR", false, "12", "EUR"},
           {"US$ 12", false, "12", "US$"},
           {"1 234,50 \u20ac", false, "1 234,50", "\u20ac"},
           {"1\u00a0234,50\u00a0\u20ac", false, "1 234,50", "\u20ac"},  // blanks that do not break
           {"1\u202f234", false, "1 234", ""},
           {"1'234.5", false, "1'234.5", ""},
           {"1\u2019234.5", false, "1'234.5", ""},
           {"12.5%", false, "12.5", "%"},
           {"12.5 %", false, "12.5", "%"},
           {"12 kg", false, "12", "kg"},
           {"12kg", false, "12", "kg"},
           {"3.5 km/h", false, "3.5", "km/h"},
           {"20\u00b0C", false, "20", "\u00b0C"},
           {"75 m2", false, "75", "m2"},
           {"$5/kg", false, "5", "$/kg"},
           {"1.5e3 m", false, "1.5e3", "m"},
           {"+7", false, "7", ""},
       }) {
    const auto number = take_apart(c.cell);
    ASSERT_TRUE(number) << c.cell;
    EXPECT_EQ(number->negative, c.negative) << c.cell;
    EXPECT_EQ(number->digits, c.digits) << c.cell;
    EXPECT_EQ(number->unit, c.unit) << c.cell;
  }
  for (const char* text : {"",          "kg", "$",  "A4", "Q1",  "0x1F", "1-2", "2021-03-04", "12-Mar", "12:30",
                           "3 or more", "5+", "<5", "(5", "--5", "-(5)", "4x4", "1 / 2",      "XYZ 5",  "."})
    EXPECT_FALSE(take_apart(text)) << text;
}

TEST(WrittenNumbers, ThousandsArePartedByOneSignInGroupsOfThree) {
  EXPECT_EQ(value_of_digits("1,234.5", '.', ','), 1234.5);
  EXPECT_EQ(value_of_digits("1.234,5", ',', '.'), 1234.5);
  EXPECT_EQ(value_of_digits("12'345'678", '.', '\''), 12345678);
  EXPECT_EQ(value_of_digits("1 234", ',', ' '), 1234);
  EXPECT_EQ(value_of_digits("1234.5", '.', ','), 1234.5);
  EXPECT_EQ(value_of_digits(".5", '.', ','), 0.5);
  EXPECT_EQ(value_of_digits("12,34,567.8", '.', ','), 1234567.8);  // lakhs
  EXPECT_EQ(value_of_digits("1.5e3", '.', ','), 1500);
  for (const char* wrong : {"1,23", "1,2345", "1234,567", "0,125", ",123", "1,,234", "1,234,56", "1.2.3", "1,234.5,6",
                            "1,234e3", "12,345,67,890"})
    EXPECT_FALSE(value_of_digits(wrong, '.', ',')) << wrong;
}

TEST(NumberFormats, ReadTheirOwnSpellingOnly) {
  const NumberFormat dollars{'.', ',', "$"}, euros{',', '.', "\u20ac"}, percent{'.', ',', "%"};
  EXPECT_EQ(dollars.read("$1,234.50"), 1234.5);
  EXPECT_EQ(dollars.read("($1,234.50)"), -1234.5);
  EXPECT_EQ(dollars.read("1,234 $"), 1234);
  EXPECT_EQ(dollars.read("0"), 0);  // of any unit
  EXPECT_FALSE(dollars.read("5"));
  EXPECT_FALSE(dollars.read("\u20ac5"));
  EXPECT_FALSE(dollars.read("$1.234,50"));
  EXPECT_EQ(euros.read("1.234,50 \u20ac"), 1234.5);
  EXPECT_EQ(euros.read("1.234 \u20ac"), 1234);
  EXPECT_FALSE(euros.read("12.5 \u20ac"));
  EXPECT_EQ(percent.read("12.5%"), 12.5);
  EXPECT_FALSE(percent.read("0.125"));
  EXPECT_EQ((NumberFormat{'.', ',', "$", true}.read("5")), 5);
  const NumberFormat programs, comma{','};
  EXPECT_TRUE(programs.plain());
  EXPECT_EQ(programs.read("1e3"), 1000);
  EXPECT_FALSE(programs.read("1,234"));
  EXPECT_EQ(comma.read("1,5"), 1.5);
}

TEST(NumberFormats, UnitsMayDifferInCaseAndNumber) {
  EXPECT_TRUE(same_unit("kg", "Kg"));
  EXPECT_TRUE(same_unit("day", "days"));
  EXPECT_FALSE(same_unit("m", "M"));
  EXPECT_FALSE(same_unit("kg", "g"));
  EXPECT_FALSE(same_unit("", "kg"));
}

TEST(NumberFormats, GoThroughJson) {
  for (const NumberFormat& format :
       {NumberFormat{}, NumberFormat{',', ' ', "\u20ac"}, NumberFormat{'.', '\'', "", true}})
    EXPECT_EQ(NumberFormat::from_json(nlohmann::json::parse(format.to_json().dump())), format);
  for (const char* damaged :
       {R"({"decimal": "", "group": "x", "unit": ""})", R"({"decimal": "..", "group": "", "unit": ""})"})
    EXPECT_THROW(NumberFormat::from_json(nlohmann::json::parse(damaged)), Error) << damaged;
}

NumberSpelling spelling(std::vector<std::string_view> texts) {
  const std::vector<std::size_t> ones(texts.size(), 1);
  return NumberSpelling({std::move(texts), ones, ones}, false);
}

// The table: what the cells say, what the rest of the table says, and the decimal sign that follows.
TEST(NumberSpellings, AreSettledByTheColumnThenByTheTable) {
  const Customs commas{.delimiter = ','}, semicolons{.delimiter = ';'};
  const Customs beside_commas{.delimiter = ';', .decimal_commas = true},
      beside_points{.delimiter = ';', .decimal_points = true};
  struct Case {
    std::vector<std::string_view> texts;
    Customs customs;
    char decimal;
    bool doubtful;
  };
  for (const Case& c : std::vector<Case>{
           {{"1,234.5", "2"}, semicolons, '.', false},
           {{"1.234,5", "2"}, commas, ',', false},
           {{"1,234,567"}, semicolons, '.', false},
           {{"0,125"}, commas, ',', false},
           {{"1,234", "5,678"}, commas, '.', true},
           {{"1,234", "5,678"}, semicolons, ',', true},
           {{"1,234", "935"}, semicolons, '.', true},
           {{"1,234", "9350", "7"}, semicolons, ',', true},
           {{"1,234", "935"}, beside_commas, ',', true},
           {{"1,234"}, beside_points, '.', true},
           {{"1.234 kg"}, semicolons, '.', true},
           {{"1.234 kg"}, beside_commas, ',', true},
           {{"1.234 \u20ac"}, semicolons, ',', true},
           {{"$1.234"}, commas, '.', true},
           {{"$1,234"}, semicolons, '.', true},
           {{"1 234", "5"}, commas, '.', false},
       }) {
    const NumberSpelling::Choice choice = spelling(c.texts).choose(c.customs);
    EXPECT_EQ(choice.format.decimal, c.decimal) << c.texts[0];
    EXPECT_EQ(!choice.doubt.empty(), c.doubtful) << c.texts[0];
  }
  EXPECT_TRUE(spelling({"1,234", "1.234"}).contradiction());
  EXPECT_FALSE(spelling({"1,234", "5.67"}).contradiction());
}

}  // namespace
}  // namespace mbnn
