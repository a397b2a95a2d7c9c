// What was probably meant by a name that is not there, and lists of names.
#include "mbnn/core/known_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mbnn/core/option_value.h"

namespace mbnn {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Names = std::vector<std::string>;

const std::vector<KnownName> kOptions{{"--warmup", {"burnin", "iterations"}},
                                      {"--draws", {"samples", "iterations"}},
                                      {"--mask-every"},
                                      {"--mask-moves"},
                                      {"--masks"},
                                      {"--task"},
                                      {"--lambda"},
                                      {"--weight-prior"},
                                      {"DATA", {"data"}}};

TEST(MeantNames, OtherWordsComeFirst) {
  EXPECT_THAT(meant_names("--burnin", kOptions), ElementsAre("--warmup"));
  EXPECT_THAT(meant_names("--iterations", kOptions), ElementsAre("--warmup", "--draws"));
  EXPECT_THAT(meant_names("--Data", kOptions), ElementsAre("DATA"));
  EXPECT_THAT(meant_names("weight_prior", kOptions), ElementsAre("--weight-prior"));
  EXPECT_THAT(names_for("--samples", kOptions), ElementsAre("--draws"));
  EXPECT_THAT(names_for("--sample", kOptions), IsEmpty());
}

// Caught: "mask" for task; swapped letters counted as two slips.
TEST(MeantNames, SlipsThenParts) {
  EXPECT_THAT(meant_names("--lamdba", kOptions), ElementsAre("--lambda"));
  EXPECT_THAT(meant_names("--sample", kOptions), ElementsAre("--draws"));
  EXPECT_THAT(meant_names("--mask", kOptions), ElementsAre("--masks"));
  EXPECT_THAT(meant_names("--prior", kOptions), ElementsAre("--weight-prior"));
  EXPECT_THAT(meant_names("--moves", kOptions), ElementsAre("--mask-moves"));
  EXPECT_THAT(meant_names("--warm", kOptions), ElementsAre("--warmup"));
}

TEST(MeantNames, NothingRatherThanAnything) {
  for (const auto* word : {"--x", "-t", "--", "", "--output", "--epochs", "--label", "--horizon"})
    EXPECT_THAT(meant_names(word, kOptions), IsEmpty()) << word;
}

TEST(KnownColumns, NameTheNearest) {
  const Names names{"age", "site area", "size, net"};
  EXPECT_EQ(known_columns("Age", names), "columns are age, site area, \"size, net\"; did you mean 'age'?");
  EXPECT_EQ(known_columns("aeg", names), "columns are age, site area, \"size, net\"; did you mean 'age'?");
  EXPECT_EQ(known_columns("size", names),
            "columns are age, site area, \"size, net\"; in a list, \"size, net\" stands in quotation marks");
  EXPECT_EQ(known_columns("height", names), "columns are age, site area, \"size, net\"");
}

TEST(ListNames, CutsAfterMost) {
  const Names names{"a", "b", "c"};
  EXPECT_EQ(list_names(names), "a, b, c");
  EXPECT_EQ(list_names(names, 2), "a, b and 1 more");
}

TEST(ParseNames, CommasQuotesAndBlanks) {
  EXPECT_THAT(parse_names("a,b"), ElementsAre("a", "b"));
  EXPECT_THAT(parse_names(" a b , c "), ElementsAre("a b", "c"));
  EXPECT_THAT(parse_names("a, \"b, c\",d"), ElementsAre("a", "b, c", "d"));
  EXPECT_THAT(parse_names("\" a \""), ElementsAre(" a "));
  EXPECT_THAT(parse_names("5\" pipe"), ElementsAre("5\" pipe"));
  EXPECT_THAT(parse_names("\"say \"\"a\"\"\""), ElementsAre("say \"a\""));
  for (const auto* text : {"", "a,", ",a", "a, ,b", "\"a", "\"\""}) EXPECT_THROW(parse_names(text), InputError) << text;
  for (const Names& names : {Names{"a", "b"}, Names{"b, c", "say \"a\""}, Names{"\"quoted\""}})
    EXPECT_EQ(parse_names(show_names(names)), names);
}

}  // namespace
}  // namespace mbnn
