// Options of each type: what they show, what they take, how they are bounded, stored and refused.
#include "mbnn/core/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace mbnn {
namespace {

using ::testing::HasSubstr;

enum class Colour { red, green, blue };
constexpr auto enum_names(Colour) { return std::array{"red", "green", "blue"}; }

struct Settings {
  std::size_t steps = 10;
  std::int64_t shift = -1;
  double rate = 0.5;
  bool masks = true, header = true, strict = false;
  Colour colour = Colour::red;
  std::string name = "none";
  std::vector<std::string> columns;
  std::vector<std::size_t> seasons{7};
  std::optional<double> cut;
  std::size_t width = 3;
};

OptionList options_of(Settings& s) {
  OptionList options;
  options.group("First");
  options.add("steps", s.steps, "steps of a move").at_least(1).old_name("moves").basic();
  options.add("shift", s.shift, "where it starts").within(-5, 5);
  options.add("rate", s.rate, "how fast").positive().old_name("speed", "{}e-1");
  options.add("masks", s.masks, "off keeps all").old_name("no-masks", "off");
  options.add("no-header", flag_value(s.header, false), "the first line is data").json("header");
  options.add("missing", words_value(s.strict, "impute", "error"), "cells");
  options.group("Second", "second.", {{[&s] { return s.masks; }, "with masks on", false}});
  options.add("colour", s.colour, "of the line").only({[&s] { return s.rate < 1; }, "with a rate below 1"});
  options.add("name", s.name, "of the line");
  options.add("columns", s.columns, "to take");
  options.add("season", s.seasons, "periods").json("periods");
  options.add("cut", value_of(s.cut, "off"), "the most").positive().json_unless(nullptr);
  options.stored("first_width", s.width).at_least(1);
  return options;
}

std::string message_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const InputError& e) {
    return e.what();
  }
  return "nothing was thrown";
}

std::string refusal_of(const std::string& name, const std::string& text) {
  Settings s;
  return message_of([&] {
    OptionList options = options_of(s);
    options.apply({{name, text}});
    options.check();
  });
}

TEST(Options, TakeTextsOfEachType) {
  Settings s;
  OptionList options = options_of(s);
  options.apply({{"steps", "25"},
                 {"shift", "-3"},
                 {"rate", "+2.5e-1"},
                 {"masks", "off"},
                 {"no-header", ""},
                 {"missing", "error"},
                 {"colour", "blue"},
                 {"name", "long one"},
                 {"columns", "a,\"b,c\""},
                 {"columns", "\"say \"\"d\"\"\""},
                 {"season", "4,12"},
                 {"season", "52"},
                 {"cut", "3"}});
  EXPECT_EQ(s.steps, 25u);
  EXPECT_EQ(s.shift, -3);
  EXPECT_EQ(s.rate, 0.25);
  EXPECT_FALSE(s.masks);
  EXPECT_FALSE(s.header);
  EXPECT_TRUE(s.strict);
  EXPECT_EQ(s.colour, Colour::blue);
  EXPECT_EQ(s.name, "long one");
  EXPECT_EQ(s.columns, (std::vector<std::string>{"a", "b,c", "say \"d\""}));
  EXPECT_EQ(s.seasons, (std::vector<std::size_t>{4, 12, 52}));
  EXPECT_EQ(s.cut, 3);
  // What is shown is what would be given.
  EXPECT_EQ(options.find("columns")->value().show(), "a,\"b,c\",\"say \"\"d\"\"\"");
  EXPECT_EQ(options.find("season")->value().show(), "4,12,52");
  EXPECT_EQ(options.find("missing")->value().show(), "error");
  options.apply({{"cut", "off"}});
  EXPECT_FALSE(s.cut);
}

TEST(Options, RefuseTextsThatAreNone) {
  EXPECT_EQ(refusal_of("steps", "abc"), "steps = abc: expected a whole number");
  EXPECT_EQ(refusal_of("steps", "1.5"), "steps = 1.5: expected a whole number");
  EXPECT_EQ(refusal_of("steps", "-1"), "steps = -1: must not be negative");
  EXPECT_EQ(refusal_of("steps", "99999999999999999999999"), "steps = 99999999999999999999999: is out of all bounds");
  EXPECT_EQ(refusal_of("steps", ""), "steps = : expected a whole number");
  EXPECT_EQ(refusal_of("shift", "+-1"), "shift = +-1: expected a whole number");
  EXPECT_EQ(refusal_of("rate", "fast"), "rate = fast: expected a number");
  EXPECT_EQ(refusal_of("rate", "1x"), "rate = 1x: expected a number");
  EXPECT_EQ(refusal_of("masks", "maybe"), "masks = maybe: expected on or off");
  EXPECT_EQ(refusal_of("no-header", "yes"), "no-header = yes: expected nothing behind it");
  EXPECT_EQ(refusal_of("colour", "Red"), "colour = Red: expected red, green or blue");
  for (const auto* names : {"", "a,", ",a", "a,,b", "\"a"})
    EXPECT_THAT(refusal_of("columns", names), HasSubstr("expected names with commas between them")) << names;
  EXPECT_EQ(refusal_of("season", "4,"), "season = 4,: expected a whole number");
  EXPECT_EQ(refusal_of("cut", "a lot"), "cut = a lot: expected a number");
  EXPECT_THAT(refusal_of("stepz", "3"), HasSubstr("no option stepz; did you mean steps?"));
  EXPECT_THAT(refusal_of("first_width", "3"), HasSubstr("no option first_width"));  // is not for people
}

// NaN lands on the cautious side of each.
TEST(Options, KeepTheirBounds) {
  EXPECT_EQ(refusal_of("steps", "0"), "steps = 0: must be at least 1");
  EXPECT_EQ(refusal_of("steps", "1"), "nothing was thrown");
  EXPECT_EQ(refusal_of("shift", "6"), "shift = 6: must be from -5 to 5");
  EXPECT_EQ(refusal_of("shift", "-5"), "nothing was thrown");
  for (const auto* rate : {"0", "-1", "inf", "nan", "-nan"})
    EXPECT_THAT(refusal_of("rate", rate), HasSubstr("must be positive and finite")) << rate;
  EXPECT_EQ(refusal_of("cut", "0"), "cut = 0: must be positive and finite");
  EXPECT_EQ(refusal_of("cut", "off"), "nothing was thrown");

  double x = 0;
  const auto holds = [&](double value, auto bound) {
    x = value;
    OptionList options;
    bound(options.add("x", x, "a number"));
    return message_of([&] { options.check(); }) == "nothing was thrown";
  };
  const auto between = [](Option& o) { o.between(0, 1); };
  const auto finite = [](Option& o) { o.finite(); };
  const auto not_negative = [](Option& o) { o.not_negative(); };
  for (const double bad : {0.0, 1.0, -1.0, std::nan("")}) EXPECT_FALSE(holds(bad, between)) << bad;
  EXPECT_TRUE(holds(0.5, between));
  for (const double bad : {HUGE_VAL, -HUGE_VAL, std::nan("")}) EXPECT_FALSE(holds(bad, finite)) << bad;
  EXPECT_TRUE(holds(-3, finite));
  for (const double bad : {-1e-9, HUGE_VAL, std::nan("")}) EXPECT_FALSE(holds(bad, not_negative)) << bad;
  EXPECT_TRUE(holds(0, not_negative));

  Settings s;
  s.width = 0;
  EXPECT_EQ(message_of([&] { options_of(s).check(); }), "first_width = 0: must be at least 1");
}

TEST(Options, NameTheOptionThatIsWrong) {
  Settings s;
  try {
    options_of(s).apply({{"moves", "many"}});
    FAIL() << "nothing was thrown";
  } catch (const OptionError& e) {
    EXPECT_EQ(e.option(), "steps");
    EXPECT_EQ(std::string(e.what()).find(e.option()), 0u);
  }
}

TEST(Options, OldNamesStillWork) {
  Settings s;
  OptionList options = options_of(s);
  options.apply({{"moves", "4"}, {"speed", "3"}, {"no-masks", ""}});
  EXPECT_EQ(s.steps, 4u);
  EXPECT_EQ(s.rate, 0.3);
  EXPECT_FALSE(s.masks);
  EXPECT_EQ(message_of([&] { options.apply({{"moves", "4"}, {"steps", "4"}}); }), "steps is given more than once");
}

TEST(Options, OfNoUseAreRefusedAndSayWhy) {
  Settings s;
  OptionList options = options_of(s);
  const GivenOptions given{{"masks", "off"}, {"name", "x"}};
  options.apply(given);
  EXPECT_EQ(message_of([&] { options.refuse_idle(given); }), "name: of use only with masks on");
  s = {};
  const GivenOptions fast{{"rate", "2"}, {"colour", "red"}};  // as by default, and yet given
  options.apply(fast);
  EXPECT_EQ(message_of([&] { options.refuse_idle(fast); }), "colour: of use only with a rate below 1");
  s = {};
  const GivenOptions good{{"rate", "0.7"}, {"colour", "red"}};
  options.apply(good);
  EXPECT_NO_THROW(options.refuse_idle(good));
}

// A choice on which others depend is declared before them, wherever it is given.
TEST(Options, AreAppliedInTheOrderOfTheDeclarations) {
  bool fine = false;
  std::size_t coarse_steps = 1, fine_steps = 100;
  OptionList options;
  options.add("fine", fine, "the finer one");
  options.add("steps", either([&] { return fine; }, value_of(fine_steps), value_of(coarse_steps)), "of the chosen one");
  options.apply({{"steps", "7"}, {"fine", "on"}});
  EXPECT_EQ(coarse_steps, 1u);
  EXPECT_EQ(fine_steps, 7u);
}

TEST(Options, GoThroughJsonBothWays) {
  Settings s{25, -3, 0.1, false, false, true, Colour::green, "x", {"a", "b,c"}, {4, 5}, 2.5, 9};
  const nlohmann::json json = options_of(s).to_json();
  EXPECT_EQ(json, nlohmann::json::parse(R"({
    "steps": 25, "shift": -3, "rate": 0.1, "masks": false, "header": false, "missing": true,
    "second": {"colour": "green", "name": "x", "columns": ["a", "b,c"], "periods": [4, 5], "cut": 2.5,
               "first_width": 9}})"));
  Settings read;
  options_of(read).read(json);
  EXPECT_EQ(options_of(read).to_json(), json);
  EXPECT_EQ(read.steps, 25u);
  EXPECT_EQ(read.colour, Colour::green);
  EXPECT_EQ(read.cut, 2.5);
  EXPECT_EQ(read.width, 9u);
}

TEST(Options, AbsentFieldsLeaveValuesAndUsualOnesAreNotWritten) {
  Settings s;
  EXPECT_FALSE(options_of(s).to_json().at("second").contains("cut"));
  options_of(s).read(nlohmann::json::parse(R"({"steps": 3, "unknown": {"deep": 1}, "second": null})"));
  EXPECT_EQ(s.steps, 3u);
  EXPECT_EQ(s.rate, 0.5);
  EXPECT_EQ(s.colour, Colour::red);
  EXPECT_THROW(options_of(s).read(nlohmann::json::parse(R"({"steps": "three"})")), Error);
  EXPECT_THAT(message_of([&] { options_of(s).read(nlohmann::json::parse(R"({"second": {"colour": "pink"}})")); }),
              AllOf(HasSubstr("pink"), HasSubstr("green")));
}

TEST(Options, PartsThatHaveNoMeaningAreNullAndOlderPlacesAreRead) {
  double rate = 2;
  bool used = false;
  OptionList options;
  options.group("Part", "part.");
  options.add("rate", rate, "of the part").or_from("old.rate");
  options.null_unless("part", [&] { return used; });
  EXPECT_EQ(options.to_json(), nlohmann::json::parse(R"({"part": null})"));
  options.read(options.to_json());
  EXPECT_EQ(rate, 2);
  used = true;
  EXPECT_EQ(options.to_json(), nlohmann::json::parse(R"({"part": {"rate": 2.0}})"));
  options.read(nlohmann::json::parse(R"({"part": {"old": {"rate": 5}}})"));
  EXPECT_EQ(rate, 5);
  options.read(nlohmann::json::parse(R"({"part": {"rate": 6, "old": {"rate": 5}}})"));
  EXPECT_EQ(rate, 6);
}

TEST(Options, HelpSaysDefaultsAndUses) {
  Settings s, other;
  OptionList options = options_of(s);
  EXPECT_EQ(options.find("steps")->help(), "steps of a move [10]");
  EXPECT_EQ(options.find("colour")->help(), "of the line (with a rate below 1) [red]");
  EXPECT_EQ(options.find("no-header")->help(), "the first line is data");
  EXPECT_EQ(options.find("cut")->help(), "the most [off]");
  EXPECT_EQ(options.find("columns")->help(), "to take");
  EXPECT_EQ(options.find("colour")->value().kind, "red|green|blue");
  other.steps = 20;
  other.masks = false;
  other.colour = Colour::blue;  // and of no use
  options.add_defaults("others", options_of(other));
  EXPECT_EQ(options.find("steps")->help(), "steps of a move [10; others: 20]");
  EXPECT_EQ(options.find("masks")->help(), "off keeps all [on; others: off]");
  EXPECT_EQ(options.find("colour")->help(), "of the line (with a rate below 1) [red]");
}

}  // namespace
}  // namespace mbnn
