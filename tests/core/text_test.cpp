// Numbers must be the whole text, parts keep empty ones, cells are quoted as RFC 4180 says.
//
// Seen to fail: the end of the number not compared with that of the text; quotes not doubled.
#include "mbnn/core/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <cstdint>

namespace mbnn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NumberIn, TakesWholeNumbersOnly) {
  EXPECT_EQ(number_in<std::size_t>("42"), 42u);
  EXPECT_EQ(number_in<std::int64_t>("-42"), -42);
  for (const char* text : {"", " 1", "1 ", "1x", "x", "1.0", "+1", "0x10", "1,000"})
    EXPECT_FALSE(number_in<int>(text)) << text;
  EXPECT_FALSE(number_in<std::size_t>("-1"));
  EXPECT_FALSE(number_in<std::int32_t>("2147483648"));
  EXPECT_EQ(number_in<std::int32_t>("2147483647"), 2147483647);
}

TEST(NumberIn, ReadsDecimalsToTheLastBit) {
  EXPECT_EQ(number_in<double>("0.1"), 0.1);
  EXPECT_EQ(number_in<double>("-1e-3"), -0.001);
  EXPECT_EQ(number_in<double>("1.7976931348623157e308"), 1.7976931348623157e308);
  EXPECT_TRUE(std::isinf(number_in<double>("inf").value()));
  for (const char* text : {"", "1e", "1e999", "0.1.", "0,1", ".", "1 2", "--1"})
    EXPECT_FALSE(number_in<double>(text)) << text;
}

// In locales with a decimal comma, strtod would stop at the point.
TEST(NumberIn, KnowsNoLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"})
    if (std::setlocale(LC_ALL, name)) {
      EXPECT_EQ(number_in<double>("2.5"), 2.5) << name;
    }
  std::setlocale(LC_ALL, before.c_str());
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_THAT(split("", ','), IsEmpty());
  EXPECT_THAT(split("a", ','), ElementsAre("a"));
  EXPECT_THAT(split("a,b", ','), ElementsAre("a", "b"));
  EXPECT_THAT(split("a,,b", ','), ElementsAre("a", "", "b"));
  EXPECT_THAT(split("20,", ','), ElementsAre("20", ""));
  EXPECT_THAT(split(",", ','), ElementsAre("", ""));
  EXPECT_THAT(split("a:b,c", ':'), ElementsAre("a", "b,c"));
}

// Caught: a title set and a screen cleared by a note of a fit.
TEST(Visible, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(visible("plain größe 日本"), "plain größe 日本");
  EXPECT_EQ(visible("\x1b]0;owned\x07"), "\\x1b]0;owned\\x07");
  EXPECT_EQ(visible("a\r\nb\tc\x7f"), "a\\x0d\\x0ab\\x09c\\x7f");
  EXPECT_EQ(visible_lines("a\r\nb"), "a\\x0d\nb");
  EXPECT_EQ(visible("\xc2\x9b"
                    "2J\xc2\xa0"),
            "\\x9b2J\xc2\xa0");
  EXPECT_EQ(visible("\xe2\x80\xae txt \xe2\x81\xa6 \xe2\x80\x93"), "\\u202e txt \\u2066 \xe2\x80\x93");
  EXPECT_EQ(visible("\xe2"), "\xe2");
}

TEST(CsvCell, QuotesWhatWouldBeReadAsSomethingElse) {
  EXPECT_EQ(csv_cell("plain text"), "plain text");
  EXPECT_EQ(csv_cell(""), "");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"so\""), "\"say \"\"so\"\"\"");
  EXPECT_EQ(csv_cell("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_cell("two\r"), "\"two\r\"");
  EXPECT_EQ(csv_cell("a;b"), "a;b");
  EXPECT_EQ(csv_cell("a;b", ';'), "\"a;b\"");
  EXPECT_EQ(csv_cell("a,b", ';'), "a,b");
}

}  // namespace
}  // namespace mbnn
