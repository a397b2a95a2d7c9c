// Wrong usage: exit code 2, a message that names the option and what was expected, and no file touched.
#include "tests/support/program.h"

namespace mbnn {
namespace {

class BadOptions : public CommandLine {
 protected:
  void SetUp() override {
    write("r.csv", regression_table());
    write("old.mbnn", "SQLite format 3, an older fit\n");
  }
  void refuse(const std::string& options, const std::vector<std::string>& said) {
    expect_refused(tiny("fit r.csv --target y --out old.mbnn --force " + options), said);
  }
};

TEST_F(BadOptions, VerbsThatDoNotExist) {
  expect_refused("", {"summary  ", "mbnn VERB --help"});  // the whole help, for somebody who has just arrived
  expect_refused("guess r.csv", {"no verb 'guess'", "fit, resume, predict, evaluate, cv, diagnose, summary, explain"});
  expect_refused("predcit r.mbnn r.csv", {"no verb 'predcit'", "did you mean 'predict'?"});
}

TEST_F(BadOptions, MissingUnknownOrTwice) {
  expect_refused("fit", {"DATA is required: the table", "Usage: mbnn fit DATA --target COLUMN --out FILE [OPTIONS]",
                         "See: mbnn fit --help"});
  expect_refused("fit r.csv --out new.mbnn", {"--target is required: the column to predict"});
  expect_refused("fit r.csv --out new.mbnn --target", {"--target: expected COLUMN behind it"});
  expect_refused("fit r.csv --chains", {"--chains: expected a number behind it"});
  expect_refused("fit r.csv --target y", {"--out is required"});
  refuse("--ignore a,y", {"--ignore = y: it is the target"});
  refuse("--ignore d", {"no column 'd' to ignore", "columns are a, b, c, y"});
  expect_refused("predict r.mbnn", {"DATA is required"});
  expect_refused("resume", {"FIT is required"});
  refuse("--depth 3", {"no option --depth"});
  refuse("--lamda 3", {"no option --lamda; did you mean --lambda?"});
  refuse("--warmup abc", {"--warmup = abc: expected a whole number"});
  refuse("--target-accept high", {"--target-accept = high: expected a number"});
  refuse("--draws 5 --draws 6", {"--draws is given more than once"});
  expect_refused("summary r.mbnn extra", {"'extra' was not expected here"});
  refuse("--ignore a b", {"'b' was not expected here; in a list, commas are between the names: --ignore a,b"});
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"fit", "", "-t", "y", "-o", "new.mbnn"}, {"predict", "r.mbnn", ""}}) {
    const Ended ended = run(words);
    EXPECT_EQ(ended.code, 2);
    EXPECT_THAT(ended.err, HasSubstr("DATA: expected the name of a file"));
  }
}

TEST_F(BadOptions, Sizes) {
  refuse("--hidden abc", {"--hidden = abc", "expected sizes such as 1000,1000, or auto"});
  refuse("--hidden 0", {"--hidden = 0", "at least 1 node"});
  refuse("--hidden 10,0", {"--hidden = 10,0", "at least 1 node"});
  refuse("--hidden 10,", {"--hidden = 10,: expected sizes"});
  refuse("--hidden 1e3", {"--hidden = 1e3"});
  refuse("--hidden -5", {"--hidden = -5"});
  refuse("--hidden 99999999999", {"--hidden = 99999999999", "at most 1000000"});
  refuse("--max-flips 99", {"--max-flips = 99", "from 1 to 10"});
  refuse("--max-flips 0", {"--max-flips = 0"});
  refuse("--chains 0", {"--chains = 0", "from 1 to 1000"});
  refuse("--draws 0", {"--draws = 0", "at least 1"});
  refuse("--thin 0", {"--thin = 0"});
  refuse("--warmup -1", {"--warmup = -1", "at least 0"});
  refuse("--warmup 1.5", {"--warmup", "1.5"});
  refuse("--start-width 0", {"--start-width = 0"});
  refuse("--draws many", {"--draws", "many"});
}

// Caught: 9e18 draws times the thinning overflowed into a fit that never ended.
TEST_F(BadOptions, CountsBeyondReason) {
  refuse("--draws 9000000000000000000", {"--draws = 9000000000000000000", "at most"});
  refuse("--thin 9000000000000000000", {"--thin"});
  refuse("--draws 99999999999999999999999", {"--draws"});
  fit_regression();
  expect_refused("resume r.mbnn --draws 1000000000000", {"--draws"});
  expect_refused("resume r.mbnn --draws 0", {"--draws"});
}

// Caught: read as unsigned, -1 became the largest count there is, and the fit never ended.
TEST_F(BadOptions, NegativeCounts) {
  for (const auto* option : {"--chains", "--mask-moves", "--start-width", "--start-steps", "--batch", "--batches",
                             "--leapfrog-steps", "--max-depth", "--max-flips", "--birth-candidates", "--seed"})
    refuse(fmt::format("{} -1", option), {fmt::format("{} = -1: must not be negative", option)});
}

TEST_F(BadOptions, Numbers) {
  refuse("--lambda -1", {"--lambda = -1", "must be positive"});
  refuse("--lambda much", {"--lambda = much", "a positive number, auto or validate"});
  refuse("--weight-prior foo", {"--weight-prior = foo", "cauchy:SCALE, normal:SCALE or student:SCALE:DEGREES"});
  refuse("--weight-prior cauchy:0", {"--weight-prior = cauchy:0: the scale must be positive"});
  refuse("--weight-prior cauchy:1:2", {"--weight-prior = cauchy:1:2: expected"});
  refuse("--weight-prior student:1:-2", {"--weight-prior = student:1:-2: the degrees"});
  refuse("--noise-variance 1", {"--noise-variance = 1: expected SHAPE:RATE"});
  refuse("--noise-variance 1:0", {"--noise-variance = 1:0: the rate"});
  refuse("--noise-variance fixed:-1", {"--noise-variance = fixed:-1: a fixed variance"});
  refuse("--noise-prior 1:0", {"--noise-variance = 1:0: the rate"});
  refuse("--truncate 0", {"--truncate = 0", "positive"});
  refuse("--target-accept 1", {"--target-accept = 1", "between 0 and 1"});
  refuse("--sampler sghmc --friction 2", {"--friction = 2"});
  refuse("--mask-test tuna", {"--mask-test = tuna", "bound"});
  refuse("--mask-test mhbt", {"--mask-test = mhbt", "mini-batches"});
  refuse("--sampler sgld --mask-test mhbt --batch 1", {"--batch = 1", "at least 2"});
  refuse("--threads 0", {"--threads", "0", "1 to 1024"});
  refuse("--threads x", {"--threads"});
}

// Caught: a tempered posterior was asked for, and without a word not given.
TEST_F(BadOptions, OfAnotherSampler) {
  for (const auto* option : {"--temperature 0.1", "--batch 7", "--batches 3", "--step-length 0.1", "--friction 0.5",
                             "--step-schedule constant", "--max-depth 3"})
    refuse(option, {words(option)[0] + ": of use only with sampler "});
  refuse("--sampler nuts --leapfrog-steps 5", {"--leapfrog-steps: of use only with sampler hmc"});
  refuse("--sampler sgld --refit-moves 5", {"--refit-moves: of use only with sampler hmc or nuts"});
  refuse("--sampler sgld --friction 0.5", {"--friction: of use only with sampler sghmc"});
  refuse("--sampler sgld --rungs 3", {"--rungs: of use only with sampler hmc or nuts"});
  refuse("--swap-rate 0.3", {"--swap-rate: of use only with rungs above 1"});
  refuse("--masks off --lambda 0.2", {"--lambda: of use only with masks on"});
  refuse("--masks off --start-width 3", {"--start-width: of use only with masks on"});
  refuse("--masks off --max-flips 2", {"--max-flips: of use only with masks on"});
  refuse("--masks off --hidden 1000000,1000000", {"the first network has 1e+12 weights", "--hidden"});
}

// Caught: infinities cannot be stored, so that the old fit was replaced by one that could not be read.
TEST_F(BadOptions, NumbersThatAreNotFinite) {
  for (const auto* value : {"inf", "nan"}) {
    for (const auto* option : {"--lambda", "--truncate", "--target-accept"})
      refuse(fmt::format("{} {}", option, value), {fmt::format("{} = ", option)});
    for (const auto* option : {"--step-length", "--temperature", "--friction"})
      refuse(fmt::format("--sampler sghmc {} {}", option, value), {fmt::format("{} = ", option)});
    refuse(fmt::format("--weight-prior cauchy:{}", value),
           {"--weight-prior = ", "the scale must be positive and finite"});
    refuse(fmt::format("--weight-prior student:1:{}", value), {"--weight-prior = ", "the degrees"});
    refuse(fmt::format("--noise-variance {}:1", value), {"--noise-variance = ", "the shape"});
    refuse(fmt::format("--noise-variance 1:{}", value), {"--noise-variance = ", "the rate"});
  }
}

TEST_F(BadOptions, WordsOutsideTheirList) {
  refuse("--sampler foo", {"--sampler", "foo", "hmc", "nuts", "sghmc", "sgld"});
  refuse("--masks maybe", {"--masks", "maybe", "on", "off"});
  refuse("--preset huge", {"--preset", "huge", "paper"});
  refuse("--birth x", {"--birth", "linear", "reciprocal", "uniform"});
  refuse("--task guess", {"--task", "regression", "classification"});
  refuse("--step-schedule x", {"--step-schedule", "cosine"});
  refuse("--delimiter pipe", {"--delimiter", "semicolon"});
  refuse("--missing x", {"--missing", "impute", "error"});
}

TEST_F(BadOptions, IntervalsOutsideTheirRange) {
  fit_regression();
  for (const auto* value : {"2", "0", "1", "-0.5", "nan", "95"}) {
    expect_refused(fmt::format("predict r.mbnn r.csv --out p.csv --interval {}", value),
                   {"--interval", "between 0 and 1"});
    expect_refused(fmt::format("evaluate r.mbnn r.csv --interval {}", value), {"--interval", "between 0 and 1"});
  }
}

class Output : public BadOptions {};

TEST_F(Output, ExistingFitsStayWithoutForce) {
  expect_refused(tiny("fit r.csv --target y --out old.mbnn"), {"old.mbnn exists", "--force"});
  run_well(tiny("fit r.csv --target y --out old.mbnn --force -q"));
  EXPECT_EQ(stored_draws(path("old.mbnn")).size(), 20u);
}

// The way to --out is looked at before the work: with validation that could be an hour later.
TEST_F(Output, PathsThatCannotBeWritten) {
  std::filesystem::create_directory(path("folder"));
  for (const auto* more : {"", " --force", " --lambda validate"}) {
    expect_refused(tiny(std::string("fit r.csv --target y --out none/new.mbnn") + more),
                   {"none/new.mbnn cannot be written", "no directory"});
    expect_refused(tiny(std::string("fit r.csv --target y --out folder") + more), {"folder is a directory"});
  }
  const Ended ended = run(tiny("fit r.csv --target y --out none/new.mbnn --lambda validate"));
  EXPECT_THAT(ended.err, Not(HasSubstr("choosing lambda")));
  fit_regression();
  expect_refused("predict r.mbnn r.csv --out none/p.csv", {"none/p.csv cannot be written"});
  expect_refused("predict r.mbnn r.csv --out folder", {"folder", "directory"});
}

// Caught: a table replaced by its own fit, a fit by its predictions.
TEST_F(Output, InputsAreNotOverwritten) {
  expect_refused(tiny("fit r.csv --target y --out r.csv --force"), {"r.csv is the table itself"});
  expect_refused(tiny("fit r.csv --target y --out ./r.csv --force"), {"r.csv is the table itself"});
  fit_regression();
  expect_refused("predict r.mbnn r.csv --out r.mbnn", {"--out r.mbnn is an input"});
  expect_refused("predict r.mbnn r.csv --out ./r.csv", {"--out ./r.csv is an input"});
}

TEST_F(Output, WithoutPermission) {
  fit_regression();
  std::filesystem::create_directory(path("locked"));
  std::filesystem::permissions(path("locked"), std::filesystem::perms(0555));
  for (const auto& line :
       {tiny("fit r.csv --target y --out locked/new.mbnn"), std::string("predict r.mbnn r.csv --out locked/p.csv")}) {
    const Ended ended = run(line, give_up_root);
    EXPECT_EQ(ended.code, 2) << line << ended.err;
    EXPECT_THAT(ended.err, AllOf(HasSubstr("locked/"), HasSubstr("cannot be written: Permission denied"))) << line;
  }
  EXPECT_TRUE(std::filesystem::is_empty(path("locked")));
}

TEST_F(Output, PredictionsReplaceOlderOnesAndGoToPipes) {
  fit_regression();
  write("p.csv", "older predictions\n");
  run_well("predict r.mbnn r.csv --out p.csv -q");
  std::filesystem::create_directory(path("elsewhere"));
  std::filesystem::create_symlink("elsewhere/q.csv", path("q.csv"));
  write("elsewhere/q.csv", "older predictions\n");
  run_well("predict r.mbnn r.csv --out q.csv -q");
  EXPECT_TRUE(std::filesystem::is_symlink(path("q.csv")));
  EXPECT_EQ(read("elsewhere/q.csv"), read("p.csv"));
}

// Caught: with the output redirected to a file, the link /dev/stdout itself was replaced by the predictions. The test
// takes the link under /proc, which cannot be: a program with this fault shall not harm the machine that shows it.
TEST_F(Output, StandardOutputIsWrittenInPlace) {
  fit_regression();
  run_well("predict r.mbnn r.csv --out p.csv -q");
  const Ended piped = run("predict r.mbnn r.csv --out /proc/self/fd/1 -q");
  EXPECT_EQ(piped.out, read("p.csv"));
  EXPECT_EQ(lines(piped.out).size(), 61u);
}

}  // namespace
}  // namespace mbnn
