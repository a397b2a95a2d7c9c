// An encoding means the same for every later table, and when it was stored.
#include "mbnn/tables/columns/encoding.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/encodings.h"
#include "tests/support/temporary_directory.h"

namespace mbnn {
namespace {

using encodings::dates;
using encodings::error_of;
using encodings::input;
using encodings::inputs_only;
using encodings::learn;
using encodings::missing;
using encodings::numbers;
using encodings::table_of;
using encodings::texts;
using encodings::with_target;
using encodings::x6;
using encodings::y6;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::IsEmpty;

// --- later tables ---------------------------------------------------------------------------------------------------

const Table training =
    table_of({x6, texts("c", {"p", "q", "r", "p", "q", "r"}), texts("s", {"m", "f", "m", "f", "m", "f"}), y6});

TEST(Encoding, LaterTablesMatchByName) {
  const Encoding encoding = learn(training).encoding;
  std::vector<std::string> said;
  const Dataset expected = encoding.encode(training, with_target, said);
  Table shuffled = table_of({training.columns[3], numbers("extra", {1, 2, 3, 4, 5, 6}), training.columns[2],
                             training.columns[1], training.columns[0]});
  const Dataset same = encoding.encode(shuffled, with_target, said);
  EXPECT_EQ(same.x, expected.x);
  EXPECT_EQ(same.y, expected.y);
  const Dataset consumed = encoding.encode(std::move(shuffled), with_target, said);
  EXPECT_EQ(consumed.x, expected.x);
  for (const Column& column : shuffled.columns)
    EXPECT_EQ(column.numbers.capacity() + column.codes.capacity(), 0u) << column.name;
  EXPECT_THAT(said, IsEmpty());
}

TEST(Encoding, UnseenCategoriesAndNewGapsAreSaid) {
  const Encoding encoding = learn(training).encoding;
  std::vector<std::string> said;
  const Table later = table_of({numbers("x", {missing, 5}), texts("c", {"new", ""}), texts("s", {"d", ""})});
  const Dataset data = encoding.encode(later, inputs_only, said);
  EXPECT_THAT(input(data, 0), ElementsAre(0, 0));
  const float off = -(1 / 3.0f) / std::sqrt(2 / 9.0f);
  for (std::size_t i = 1; i <= 3; ++i) EXPECT_THAT(input(data, i), Each(FloatNear(off, 1e-6f)));
  EXPECT_THAT(input(data, 4), ElementsAre(0, 0));  // neither f nor m
  EXPECT_THAT(said, ElementsAre(HasSubstr("column 'x': 1 missing cells"), HasSubstr("column 'c': 1 missing cells"),
                                HasSubstr("column 'c': 1 cells hold a category not seen"),
                                HasSubstr("column 's': 1 missing"), HasSubstr("column 's': 1 cells")));
}

TEST(Encoding, RefusesTablesThatDoNotFit) {
  const Encoding encoding = learn(training).encoding;
  std::vector<std::string> said;
  EXPECT_THAT(error_of([&] { encoding.encode(table_of({numbers("x", {1})}), with_target, said); }),
              AllOf(HasSubstr("lacks 3"), HasSubstr(": y, c, s ")));
  const Table text = table_of({texts("x", {"1", "two"}), texts("c", {"p", "q"}), texts("s", {"m", "f"})});
  EXPECT_THAT(error_of([&] { encoding.encode(text, inputs_only, said); }),
              HasSubstr("line 3, column 'x': 'two' is not a number"));
  const Table huge = table_of({numbers("x", {1e300}), texts("c", {"p"}), texts("s", {"m"})});
  EXPECT_THAT(error_of([&] { encoding.encode(huge, inputs_only, said); }), HasSubstr("too far from the training rows"));
  const Table no_target = table_of({numbers("x", {1}), texts("c", {"p"}), texts("s", {"m"}), numbers("y", {missing})});
  EXPECT_THAT(error_of([&] { encoding.encode(no_target, with_target, said); }), HasSubstr("no rows with a value"));

  const Encoding classes = learn(table_of({x6, texts("y", {"a", "b", "a", "b", "a", "b"})})).encoding;
  const Table unseen = table_of({numbers("x", {1, 2}), texts("y", {"a", "z"})});
  EXPECT_THAT(error_of([&] { classes.encode(unseen, with_target, said); }),
              AllOf(HasSubstr("line 3"), HasSubstr("label 'z'"), HasSubstr("a, b")));
}

// Categories 1, 2, x look like numbers in a file without an x; labels 0, 1 look like texts beside a stray word.
TEST(Encoding, KindsMayDifferBetweenFiles) {
  const Encoding encoding =
      learn(table_of({texts("c", {"1", "2", "x", "1", "2", "x"}), numbers("y", {0, 1, 0, 1, 0, 1})})).encoding;
  EXPECT_THAT(encoding.table_options().categorical, ElementsAre("c"));
  std::vector<std::string> said;
  const Table as_text = table_of({texts("c", {"2", "1"}), texts("y", {"1", "0.0"})});
  const Table as_numbers = table_of({numbers("c", {2, 1}), numbers("y", {1, 0})});
  const Dataset a = encoding.encode(as_text, with_target, said), b = encoding.encode(as_numbers, with_target, said);
  EXPECT_EQ(a.x, b.x);
  EXPECT_GT(a.x[1], 0);
  EXPECT_THAT(a.labels, ElementsAre(1, 0));
  EXPECT_EQ(a.labels, b.labels);
  EXPECT_THAT(said, IsEmpty());
}

// Whatever the spelling: the training table, read as a later one by what was stored, gives the same inputs.
TEST(Encoding, TheTrainingTableReadAgainGivesTheSame) {
  const TemporaryDirectory directory;
  for (const char delimiter : {',', ';', '\t'}) {
    std::string text =
        fmt::format("money{0}share{0}euro{0}weight{0}code{0}day{0}clock{0}late{0}comma{0}y\n", delimiter);
    for (int i = 0; i < 40; ++i)
      text += fmt::format(
          "\"${1},{2:03}.5\"{0}{3}%{0}\"{1}.{2:03},25 EUR\"{0}{3} kg{0}{2:05}{0}{4:02}/{5:02}/21{0}{6:02}:30{0}{7}{0}"
          "\"{1},{3}\"{0}{8}\n",
          delimiter, 1 + i % 9, i * 37 % 1000, i % 7, 1 + i / 28, 1 + i % 28, i % 24,
          i == 9 ? "unknown" : std::to_string(100 + i), i * 7 % 11);
    write_bytes(directory / "t.csv", text);
    const Table table = read_table(directory / "t.csv", {.delimiter = delimiter});
    const Encoding encoding = learn(table).encoding;
    std::vector<std::string> said;
    const Dataset first = encoding.encode(table, with_target, said);
    const Encoding stored = Encoding::from_json(nlohmann::json::parse(encoding.to_json().dump()));
    TableOptions options = stored.table_options();
    options.delimiter = delimiter;
    const Dataset again = stored.encode(read_table(directory / "t.csv", options), with_target, said);
    EXPECT_THAT(encoding.input_names(),
                testing::IsSupersetOf({"money", "share", "euro", "weight", "code=00000", "day", "day:weekday=Mon",
                                       "clock:day_sin", "late:missing", "comma"}));
    EXPECT_EQ(again.x, first.x);
    EXPECT_EQ(again.y, first.y);
    EXPECT_THAT(said, IsEmpty());
  }
}

// --- storage --------------------------------------------------------------------------------------------------------

TEST(Encoding, JsonRestoresTheSameBits) {
  const Table third = table_of({numbers("x", {1.0 / 3, 1e-17, 2.0 / 7, missing, 5, 6}), training.columns[1], y6});
  for (const Encoding& encoding :
       {learn(third).encoding, learn(table_of({x6, texts("y", {"a", "\xC3\xA9", "a", "a", "a", "a"})})).encoding})
    EXPECT_EQ(Encoding::from_json(nlohmann::json::parse(encoding.to_json().dump())), encoding);
}

// As fits have it from before there were formats and dates: numbers as programs write them, 5% and 007 as they were.
TEST(Encoding, EarlierEncodingsMeanTheSame) {
  const Encoding old = Encoding::from_json(nlohmann::json::parse(R"({
    "version": 1, "task": "regression", "labels": [], "missing_is_error": false, "decimal_commas": false,
    "target": {"name": "y", "kind": "numeric", "mean": 10.0, "sd": 2.0},
    "columns": [
      {"name": "x", "kind": "numeric", "levels": [], "rare_levels_dropped": false, "features": [
        {"role": "value", "mean": 4.0, "sd": 2.0}, {"role": "missing", "mean": 0.5, "sd": 0.5}]},
      {"name": "rate", "kind": "categorical", "levels": ["10%", "5%", "7%"], "rare_levels_dropped": false, "features": [
        {"role": "level", "level": 0, "mean": 0.5, "sd": 0.5}, {"role": "level", "level": 1, "mean": 0.2, "sd": 0.4},
        {"role": "level", "level": 2, "mean": 0.2, "sd": 0.4}]},
      {"name": "day", "kind": "categorical", "levels": ["2021-01-01", "2021-01-02"], "rare_levels_dropped": false,
       "features": [{"role": "level", "level": 1, "mean": 0.5, "sd": 0.5}]}]})"));
  EXPECT_THAT(old.input_names(), ElementsAre("x", "x:missing", "rate=10%", "rate=5%", "rate=7%", "day=2021-01-02"));
  const TemporaryDirectory directory;
  write_bytes(directory / "t.csv",
              "x,rate,day,y,more\n006,5%,2021-01-02,12,$5\nnone,10%,2021-01-01,8,1e999x\n8,20%,2021-01-03,14,\n");
  const Table table = read_table(directory / "t.csv", old.table_options());
  std::vector<std::string> said;
  const Dataset data = old.encode(table, with_target, said);
  EXPECT_THAT(data.x, ElementsAre(1, -1, -1, 2, -0.5, 1,    //
                                  0, 1, 1, -0.5, -0.5, -1,  //
                                  2, -1, -1, -0.5, -0.5, 0));
  EXPECT_THAT(data.y, ElementsAre(1, -1, 2));
  EXPECT_THAT(said, ElementsAre(HasSubstr("'rate': 1 cells hold a category not seen"), HasSubstr("'day': 1 cells")));
  EXPECT_EQ(Encoding::from_json(old.to_json()), old);
  write_bytes(directory / "t.csv", "x,rate,day\n$6,5%,2021-01-02\n");
  EXPECT_THAT(error_of([&] { old.encode(read_table(directory / "t.csv", old.table_options()), inputs_only, said); }),
              HasSubstr("line 2, column 'x': '$6' is not a number"));
}

TEST(Encoding, DamagedJsonIsRefused) {
  const nlohmann::json good = learn(training).encoding.to_json();
  for (const auto& [where, value] :
       std::vector<std::pair<const char*, nlohmann::json>>{{"/version", 99},
                                                           {"/task", "guess"},
                                                           {"/target", 3},
                                                           {"/target/sd", 0},
                                                           {"/labels", {"a"}},
                                                           {"/columns/0/kind", "date"},
                                                           {"/columns/0/features/0/role", "weekday"},
                                                           {"/target/kind", "date"},
                                                           {"/columns/0/features/0/sd", nullptr},
                                                           {"/columns/1/features/0/level", 9},
                                                           {"/columns/1/features/0/role", "value"},
                                                           {"/columns/0/features", nlohmann::json::array()}}) {
    nlohmann::json bad = good;
    bad[nlohmann::json::json_pointer(where)] = value;
    EXPECT_THROW(Encoding::from_json(bad), Error) << where;
  }
  EXPECT_THROW(Encoding::from_json(nlohmann::json()), Error);
  EXPECT_NO_THROW(Encoding::from_json(good));
}

}  // namespace
}  // namespace mbnn
