// What a person sees who asks for help, or writes what mbnn has under another name.
#include "tests/support/program.h"

namespace mbnn {
namespace {

class Help : public CommandLine {
 protected:
  std::string help(const std::string& line) const {
    const Ended ended = run(line);
    EXPECT_EQ(ended.code, 0) << line;
    EXPECT_EQ(ended.err, "") << line;
    return ended.out;
  }
  // Options at the beginning of a line.
  static std::set<std::string> listed(const std::string& text) {
    std::set<std::string> names;
    for (const std::string& line : lines(text)) {
      if (!line.starts_with("  -")) continue;
      for (const std::string& word : words(line.substr(0, 28)))
        if (word.starts_with("--")) names.insert(word);
    }
    return names;
  }
};

using ::testing::IsSubsetOf;
using ::testing::StartsWith;

// About a dozen options of a fit's own, beside what each verb has.
TEST_F(Help, ShortHelpShowsTheOptionsThatMatter) {
  for (const auto* verb : {"fit", "series fit", "image fit"}) {
    const std::string text = help(fmt::format("{} --help", verb));
    const auto few = listed(text), all = listed(help(fmt::format("{} --help-all", verb)));
    EXPECT_THAT(few, IsSubsetOf(all));
    EXPECT_GE(few.size(), 12u) << verb;
    EXPECT_LE(few.size(), 20u) << verb;
    EXPECT_GE(all.size(), 40u) << verb;
    EXPECT_THAT(text, HasSubstr(fmt::format("{} further options: mbnn {} --help-all", all.size() - few.size(), verb)));
  }
}

TEST_F(Help, IsAskedForInManyWays) {
  const std::string fit = help("fit --help");
  for (const auto* line : {"help fit", "fit help", "fit -h", "--help fit", "-h fit", "fit no.csv --help",
                           "fit --target --help", "fit --depth 3 --help"})
    EXPECT_EQ(help(line), fit) << line;
  EXPECT_EQ(help("fit no.csv --help-all"), help("fit --help-all"));
  EXPECT_EQ(help("help series forecast"), help("series forecast --help"));
  EXPECT_EQ(help("help"), help("--help"));
  EXPECT_THAT(help("help reproduce uci"), StartsWith("Table 1"));
  expect_refused("help guess", {"no verb 'guess'"});
  expect_refused("guess --help", {"no verb 'guess'"});
}

// Of one line and on the screen: nothing passes the columns that there are, but for lines of examples.
TEST_F(Help, FitsTheScreen) {
  for (const std::size_t columns : {60u, 80u}) {
    const auto narrow = [&] { setenv("COLUMNS", std::to_string(columns).c_str(), 1); };
    for (const auto* verb : {"fit", "image fit", "series forecast", "predict"})
      for (const auto& line : lines(run(fmt::format("{} --help-all", verb), narrow).out)) {
        if (line.starts_with("  mbnn ")) continue;
        EXPECT_LE(line.size(), columns + 2) << line;  // two are letters of two bytes
      }
  }
}

TEST_F(Help, TheSameThingsHaveTheSameLetters) {
  for (const auto* verb : {"fit", "series fit", "image fit", "predict", "series forecast", "series impact",
                           "image predict", "image export", "reproduce uci"})
    EXPECT_THAT(help(fmt::format("{} --help", verb)), HasSubstr("  -o, --out ")) << verb;
  for (const auto* verb : {"fit", "series fit"})
    EXPECT_THAT(help(fmt::format("{} --help", verb)), HasSubstr("  -t, --target COLUMN")) << verb;
  write("r.csv", regression_table());
  run_well(tiny("fit r.csv -t y -o r.mbnn -q"));
  run_well("predict r.mbnn r.csv -o p.csv -q");
  EXPECT_TRUE(exists("p.csv"));
}

// Caught: --test led to --out, one letter away from a word for it.
TEST_F(Help, WordsOfOtherProgramsLeadToOptions) {
  const std::pair<const char*, const char*> fit[] = {
      {"--output", "--out"},
      {"--save", "--out"},
      {"--n-chains", "--chains"},
      {"--n_chains", "--chains"},
      {"--num-samples", "--draws"},
      {"--burnin", "--warmup"},
      {"--burn-in", "--warmup"},
      {"--tune", "--warmup"},
      {"--iterations", "--warmup or --draws"},
      {"--label", "--target"},
      {"--y", "--target"},
      {"--batch-size", "--batch (with sampler sgld"},
      {"--sep", "--delimiter"},
      {"--drop", "--ignore"},
      {"--random-state", "--seed"},
      {"--n-jobs", "--threads"},
      {"--overwrite", "--force"},
      {"--adapt-delta", "--target-accept"},
      {"--max-treedepth", "--max-depth"},
      {"--lr", "--step-length (with sampler sgld or sghmc) or --learning-rate (with method ns-vi)"},
      {"--test", "the verb mbnn evaluate"},
      {"--data", "DATA (the table"},
      {"--train", "DATA (the table"}};
  for (const auto& [word, option] : fit)
    expect_refused(fmt::format("fit {} 3", word), {fmt::format("no option {}; did you mean {}", word, option)});
  expect_refused("image fit --lr 3", {"no option --lr; did you mean --step-size or --learning-rate?"});
  expect_refused("series fit --ds day", {"no option --ds; did you mean --date?"});
  expect_refused("series forecast --periods 3", {"no option --periods; did you mean --horizon"});
  expect_refused("predict --level 0.9", {"no option --level; did you mean --interval?"});
}

// None of them is taken: an option has one name, beside those that earlier versions had.
TEST_F(Help, NoWordOfOtherProgramsIsTaken) {
  write("r.csv", regression_table());
  expect_refused("fit r.csv --target y --out r.mbnn --num-samples=5", {"no option --num-samples"});
}

TEST_F(Help, SlipsLeadToOptionsOfTheSameSpelling) {
  expect_refused("fit --chians 3", {"no option --chians; did you mean --chains?"});
  expect_refused("fit --Target y", {"no option --Target; did you mean --target?"});
  expect_refused("fit --categoric y", {"did you mean --categorical?"});
  expect_refused("fit --prior x", {"did you mean --weight-prior?"});
  expect_refused("fit -target y", {"-target: expected two dashes, --target"});
  expect_refused("fit r.csv -target=y -o r.mbnn", {"-target: expected two dashes"});
  for (const auto* word : {"--foo", "--xyzzy", "--a", "-z", "--holiday"}) {
    const Ended ended = run(fmt::format("fit {} 3", word));
    EXPECT_EQ(ended.code, 2);
    EXPECT_THAT(ended.err, AllOf(HasSubstr(fmt::format("no option {}", word)), Not(HasSubstr("did you mean"))));
  }
}

TEST_F(Help, OptionsOfAnotherVerbAreSaidToBe) {
  expect_refused("predict r.mbnn r.csv --chains 3", {"no option --chains here: mbnn fit has it, and others"});
  expect_refused("predict r.mbnn r.csv --hidden 3",
                 {"no option --hidden here: it is one of mbnn fit, mbnn cv or mbnn series fit"});
  expect_refused("fit --season 7", {"no option --season here: it is one of mbnn series fit"});
  expect_refused("fit --seasonality 7", {"did you mean --season of mbnn series fit?"});
  expect_refused("--quiet", {"no option --quiet here: mbnn fit has it"});
}

TEST_F(Help, VerbsOfOtherProgramsLeadToVerbs) {
  const std::pair<const char*, const char*> verbs[] = {
      {"train", "fit"},    {"score", "evaluate"},  {"check", "diagnose"},           {"continue", "resume"},
      {"info", "summary"}, {"predcit", "predict"}, {"forecast", "series forecast"}, {"version", "--version"}};
  for (const auto& [word, verb] : verbs)
    expect_refused(word, {fmt::format("no verb '{}'", word), fmt::format("did you mean '{}'?", verb)});
  write("r.csv", regression_table());
  expect_refused("r.csv", {"did you mean 'fit r.csv'?"});
  fit_regression();
  expect_refused("r.mbnn", {"did you mean 'summary r.mbnn'?"});
  expect_refused("series", {"expected one of fit, forecast, evaluate, impact behind 'mbnn series'"});
}

// An option that exists and is of no use here names the one that is.
TEST_F(Help, IdleOptionsNameTheOneOfUse) {
  write("r.csv", regression_table());
  expect_refused("fit r.csv -t y -o r.mbnn --epochs 3",
                 {"--epochs: of use only with method ns-vi; did you mean draws?"});
  expect_refused("fit r.csv -t y -o r.mbnn --sampler sgld --learning-rate 3", {"did you mean step-length?"});
  expect_refused("fit r.csv -t y -o r.mbnn --method ns-vi --step-length 3", {"did you mean learning-rate?"});
}

// Names that earlier versions had: they work, and no help shows them.
TEST_F(Help, OldNamesWorkUnseen) {
  write("r.csv", regression_table());
  run_well(tiny("fit r.csv -t y -o r.mbnn -q --noise-prior 1:0.01 --birth linear --candidates 5"));
  run_well(tiny("fit r.csv -t y -o s.mbnn -q --sampler sgld --step-size 0.05"));
  for (const auto* verb : {"fit", "image fit", "reproduce uci"}) {
    const auto all = listed(help(fmt::format("{} --help-all", verb)));
    for (const auto* old :
         {"--noise-prior", "--candidates", "--no-masks", "--prior-scale", "--burn-in", "--model", "--setting"})
      EXPECT_FALSE(all.contains(old)) << verb << " " << old;
  }
  EXPECT_FALSE(listed(help("fit --help-all")).contains("--step-size"));
}

}  // namespace
}  // namespace mbnn
