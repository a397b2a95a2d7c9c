// The verbs on good input: what they print, what they write, and how they end.
#include <fcntl.h>
#include <unistd.h>

#include "tests/support/program.h"

namespace mbnn {
namespace {

using Verbs = CommandLine;

TEST_F(Verbs, FitSaysWhatWasLearntAndWhatToDoNext) {
  write("r.csv", regression_table());
  const Ended fit = run(tiny("fit r.csv --target y --out r.mbnn"));
  ASSERT_EQ(fit.code, 0) << fit.err;
  EXPECT_THAT(fit.out, AllOf(HasSubstr("20 draws from 2 chains"), HasSubstr("widths"),
                             HasSubstr("mbnn diagnose r.mbnn"), HasSubstr("mbnn predict r.mbnn")));
  EXPECT_THAT(fit.err, HasSubstr("60 rows, 5 inputs, target y"));
  EXPECT_THAT(fit.err, Not(HasSubstr("\x1b")));  // stderr is no terminal here
  EXPECT_EQ(files(), (std::set<std::string>{"r.csv", "r.mbnn"}));
  const Ended summary = run("summary r.mbnn");
  EXPECT_EQ(summary.code, 0);
  EXPECT_THAT(summary.out, AllOf(HasSubstr("fit of   y from r.csv"), HasSubstr("a, b, c=blue, c=green, c=red"),
                                 HasSubstr("chain 2  40 of 40 iterations, 10 draws")));
}

TEST_F(Verbs, SummaryPredictsEachRowWithoutIt) {
  fit_regression();
  EXPECT_THAT(run("summary r.mbnn").out,
              AllOf(HasSubstr("\nloo      elpd "), HasSubstr("is not to be trusted; mbnn cv")));
  EXPECT_THAT(run("summary r.mbnn --no-loo").out, Not(HasSubstr("loo")));
  const auto json = nlohmann::json::parse(run("summary r.mbnn --json --threads 1").out);
  EXPECT_EQ(json.at("loo").at("rows"), 60);
  EXPECT_EQ(json.at("loo").at("draws"), 20);
  EXPECT_FALSE(json.at("loo").at("trustworthy"));  // 20 draws have no tail
  EXPECT_EQ(nlohmann::json::parse(run("summary r.mbnn --json --threads 3").out), json);
  run_well("fit r.csv --target y --method ns-vi --hidden 10 --epochs 20 --draws 5 --out v.mbnn -q");
  EXPECT_FALSE(nlohmann::json::parse(run("summary v.mbnn --json").out).contains("loo"));
}

// Caught: the standard output opened a second time, so that the next command wrote over the predictions.
TEST_F(Verbs, CommandsThatShareAnOutputWriteOneAfterTheOther) {
  fit_regression();
  const int log = open(path("log").c_str(), O_WRONLY | O_CREAT, 0600);
  const auto shared = [&] { dup2(log, 1); };
  run("predict r.mbnn r.csv", shared);
  run("evaluate r.mbnn r.csv", shared);
  close(log);
  EXPECT_EQ(read("log"), run("predict r.mbnn r.csv").out + run("evaluate r.mbnn r.csv").out);
}

// Caught: the line "60 rows in ..." among the rows.
TEST_F(Verbs, TablesComeAndGoThroughPipes) {
  fit_regression("--ignore b");
  run_well("predict r.mbnn r.csv --out p.csv -q");
  EXPECT_EQ(run("predict r.mbnn r.csv").out, read("p.csv"));
  const auto from_table = [&] { dup2(open("r.csv", O_RDONLY), 0); };
  const Ended piped = run("predict r.mbnn - --out - --json", from_table);
  EXPECT_EQ(piped.out, read("p.csv"));
  EXPECT_EQ(nlohmann::json::parse(piped.err)["rows"], 60);
  EXPECT_EQ(run("evaluate r.mbnn -", from_table).out, run("evaluate r.mbnn r.csv").out);
  ASSERT_EQ(run(tiny("fit - --target y --ignore b --out s.mbnn -q"), from_table).code, 0);
  EXPECT_TRUE(same_draws(stored_draws(path("s.mbnn")), stored_draws(path("r.mbnn"))));
  EXPECT_THAT(run("summary s.mbnn").out, AllOf(HasSubstr("a, c=blue"), Not(HasSubstr("b,"))));
}

// Caught: predict judged the cells of columns that the fit was told to ignore.
TEST_F(Verbs, IgnoredColumnsMayHoldAnything) {
  std::string text = "a,b,c,y,junk\n";
  const auto all = lines(regression_table());
  for (std::size_t i = 1; i < all.size(); ++i) text += all[i] + (i % 2 ? ",inf\n" : ",what\n");
  write("r.csv", text);
  run_well(tiny("fit r.csv --target y --ignore junk --out r.mbnn -q"));
  run_well("predict r.mbnn r.csv --out with.csv -q");
  write("new.csv", regression_table());
  run_well("predict r.mbnn new.csv --out without.csv -q");
  EXPECT_EQ(read("with.csv"), read("without.csv"));
}

// A column that has a comma in its name, beside others and by itself; lists in one piece and in several.
TEST_F(Verbs, ListsOfColumnsMayHoldCommasInNames) {
  std::string text = "a,b,\"c, coloured\",y\n";
  const auto all = lines(regression_table());
  for (std::size_t i = 1; i < all.size(); ++i) text += all[i] + "\n";
  write("r.csv", text);
  const auto inputs = [&](const std::vector<std::string>& more) {
    std::vector<std::string> line = words(tiny("fit r.csv --target y --out r.mbnn -q --force"));
    line.insert(line.end(), more.begin(), more.end());
    const Ended fit = run(line);
    EXPECT_EQ(fit.code, 0) << fit.err;
    return lines(run("summary r.mbnn").out).at(1);
  };
  EXPECT_EQ(inputs({"--ignore", "\"c, coloured\""}), "inputs   a, b");
  EXPECT_EQ(inputs({"--ignore", "b, \"c, coloured\""}), "inputs   a");
  EXPECT_EQ(inputs({"--ignore", "\"c, coloured\"", "--ignore=a"}), "inputs   b");
  EXPECT_EQ(inputs({"--ignore", "a,b", "--categorical", "\"c, coloured\""}),
            "inputs   \"c, coloured=blue\", \"c, coloured=green\", \"c, coloured=red\"");
  const Ended parted = run({"fit", "r.csv", "-t", "y", "-o", "s.mbnn", "--ignore", "c, coloured"});
  EXPECT_EQ(parted.code, 2);
  EXPECT_THAT(parted.err, HasSubstr("no column 'c' to ignore; columns are a, b, \"c, coloured\", y; in a list, \"c, "
                                    "coloured\" stands in quotation marks"));
}

// Caught: run_session that printed its result in spite of --quiet.
TEST_F(Verbs, QuietPrintsNothing) {
  write(
      "r.csv", "a,b,c,z,y\n" + [] {
        std::string text;
        for (const auto& line : lines(regression_table()))
          if (line[0] != 'a') text += line.substr(0, line.rfind(',')) + ",7" + line.substr(line.rfind(',')) + "\n";
        return text;
      }());  // z is constant, which gives a note
  for (const auto* line :
       {"fit r.csv --target y --out r.mbnn -q", "fit r.csv --target y --out v.mbnn --quiet --lambda validate"}) {
    const Ended fit = run(tiny(line));
    EXPECT_EQ(fit.code, 0);
    EXPECT_EQ(fit.out + fit.err, "") << line;
  }
  const Ended predict = run("predict r.mbnn r.csv --out p.csv -q");
  EXPECT_EQ(predict.out + predict.err, "");
  const Ended resume = run("resume r.mbnn --draws 2 -q");
  EXPECT_EQ(resume.out + resume.err, "");
}

TEST_F(Verbs, JsonIsOneObject) {
  write("r.csv", regression_table());
  const std::pair<std::string, std::vector<std::string>> expected[] = {
      {tiny("fit r.csv --target y --out r.mbnn --json"),
       {"draws", "chains", "widths", "caps", "weights", "file", "finished"}},
      {"resume r.mbnn --draws 3 --json", {"draws", "file", "finished"}},
      {"predict r.mbnn r.csv --out p.csv --json", {"file", "rows"}},
      {"evaluate r.mbnn r.csv --json", {"n", "rmse", "nll", "crps", "coverage"}},
      {"summary r.mbnn --json", {"draws", "configuration", "encoding", "notes"}},
      {"diagnose r.mbnn --json", {"trustworthy", "disagreement", "predictions", "traces", "chains", "findings"}}};
  for (const auto& [line, keys] : expected) {
    const Ended ended = run(line);
    EXPECT_THAT(ended.code, ::testing::AnyOf(0, 3)) << line << ended.err;
    const auto json = nlohmann::json::parse(ended.out, nullptr, false);
    ASSERT_TRUE(json.is_object()) << line << "\n" << ended.out;
    for (const auto& key : keys) EXPECT_TRUE(json.contains(key)) << line << " lacks " << key;
  }
}

// Caught: blocks of rows visited backwards.
TEST_F(Verbs, PredictWritesARowForEachRowInOrder) {
  fit_regression();
  write("new.csv", regression_table(700, 9));  // several blocks of rows
  run_well("predict r.mbnn new.csv --out p.csv -q");
  EXPECT_EQ(lines(read("p.csv"))[0], "mean,sd,lower,upper");
  const auto all = csv_numbers(read("p.csv"));
  ASSERT_EQ(all.size(), 700u);
  for (const auto& row : all) {
    ASSERT_EQ(row.size(), 4u);
    EXPECT_GT(row[1], 0);
    EXPECT_LE(row[2], row[0]);
    EXPECT_LE(row[0], row[3]);
  }
  const auto table = lines(read("new.csv"));
  for (std::size_t i : {0u, 5u, 300u, 699u}) {
    write("one.csv", table[0] + "\n" + table[i + 1] + "\n");
    run_well("predict r.mbnn one.csv --out one.out.csv -q");
    EXPECT_EQ(lines(read("one.out.csv"))[1], lines(read("p.csv"))[i + 1]) << i;
  }
}

// Caught: nine digits of a target near 1e9, all rows and bounds alike.
TEST_F(Verbs, DigitsOfAPredictionFollowItsSpread) {
  std::string table = "x,y\n";
  for (int i = 0; i < 40; ++i) table += fmt::format("{},{}\n", i, 1000000000 + i * i);
  write("far.csv", table);
  run_well(tiny("fit far.csv --target y --out far.mbnn"));
  std::set<double> means;
  for (const auto& row : csv_numbers(run("predict far.mbnn far.csv").out)) means.insert(row[0]);
  EXPECT_GT(means.size(), 30u);
}

TEST_F(Verbs, ATableMayFollowOptionsThatTakeLists) {
  fit_regression();
  write("s.csv", "a;b;c\n1;2;red\n");
  EXPECT_EQ(run(tiny("fit --ignore a --categorical c r.csv --target y --out l.mbnn")).code, 0);
  EXPECT_EQ(run("predict r.mbnn s.csv --delimiter semicolon").code, 0);
  EXPECT_THAT(run("predict r.mbnn s.csv --delimiter tab").err, HasSubstr("lacks 3"));
}

TEST_F(Verbs, WiderIntervalsHoldNarrowerOnes) {
  fit_regression();
  std::vector<std::vector<std::vector<double>>> by_level;
  for (const auto* level : {"0.5", "0.9", "0.99"}) {
    run_well(fmt::format("predict r.mbnn r.csv --out p.csv -q --interval {}", level));
    by_level.push_back(csv_numbers(read("p.csv")));
  }
  for (std::size_t i = 0; i < 60; ++i)
    for (std::size_t l = 1; l < 3; ++l) {
      EXPECT_LT(by_level[l][i][2], by_level[l - 1][i][2]);
      EXPECT_GT(by_level[l][i][3], by_level[l - 1][i][3]);
      EXPECT_EQ(by_level[l][i][0], by_level[0][i][0]);
    }
}

TEST_F(Verbs, ClassesArePredictedByTheirLabels) {
  for (const auto& labels : std::vector<std::vector<std::string>>{{"no", "yes"}, {"low", "mid", "top"}}) {
    write("k.csv", class_table(labels));
    run_well(tiny("fit k.csv --target kind --out k.mbnn -q --force --start-steps 300"));
    run_well("predict k.mbnn k.csv --out p.csv -q");
    const auto rows = lines(read("p.csv"));
    EXPECT_EQ(rows[0], fmt::format("class,p_{}", fmt::join(labels, ",p_")));
    ASSERT_EQ(rows.size(), 61u);
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const auto comma = rows[i].find(',');
      const auto p = csv_numbers(rows[i].substr(comma + 1) + "\n")[0];
      EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1, 1e-6);
      EXPECT_EQ(rows[i].substr(0, comma),
                labels[static_cast<std::size_t>(std::max_element(p.begin(), p.end()) - p.begin())]);
    }
    const auto json = nlohmann::json::parse(run("evaluate k.mbnn k.csv --json").out);
    EXPECT_EQ(json.at("n"), 60);
    EXPECT_GT(json.at("accuracy").get<double>(), 0.8);  // on its own training rows, with classes that a alone tells
    for (const auto* key : {"nll", "ece", "brier"}) EXPECT_GE(json.at(key).get<double>(), 0) << key;
  }
}

TEST_F(Verbs, DiagnoseEndsWith3WhenTheFitIsHopeless) {
  fit_regression("--warmup 0 --draws 4 --thin 1 --start-steps 0");
  const Ended text = run("diagnose r.mbnn");
  EXPECT_EQ(text.code, 3);
  EXPECT_THAT(text.out, AllOf(HasSubstr("serious: "), HasSubstr("verdict on predictions: not to be trusted")));
  const Ended json = run("diagnose r.mbnn --json");
  EXPECT_EQ(json.code, 3);
  EXPECT_FALSE(nlohmann::json::parse(json.out).at("trustworthy").get<bool>());
}

// A sampler that leaves all bounds at once stores nothing and says what to do. Caught: NaN taken for a state.
TEST_F(Verbs, StepsThatAreFarTooLongEndTheFit) {
  write("r.csv", regression_table());
  const Ended ended = run(tiny("fit r.csv --target y --out n.mbnn -q --sampler sgld --step-size 1e30"));
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("without bound"), HasSubstr("smaller step-length")));
  EXPECT_EQ(run("predict n.mbnn r.csv --out p.csv").code, 2);
  EXPECT_FALSE(exists("p.csv"));
}

// Caught: a checkpoint without the step size's adaptation.
TEST_F(Verbs, ResumeAddsDrawsThatALongerFitWouldHave) {
  fit_regression();
  const auto before = stored_draws(path("r.mbnn"));
  run_well("resume r.mbnn -q");  // finished already: nothing to do
  EXPECT_TRUE(same_draws(stored_draws(path("r.mbnn")), before));
  run_well("resume r.mbnn --draws 7 -q");
  const auto after = stored_draws(path("r.mbnn"));
  EXPECT_EQ(before.size(), 20u);
  EXPECT_EQ(after.size(), 34u);
  run_well(tiny("fit r.csv --target y --out long.mbnn -q --draws 17"));
  EXPECT_TRUE(same_draws(after, stored_draws(path("long.mbnn"))));
}

TEST_F(Verbs, HelpAndVersionEndWith0) {
  for (const auto* line : {"--help", "fit --help", "resume --help", "predict --help", "evaluate --help",
                           "diagnose --help", "summary --help", "--version"}) {
    const Ended ended = run(line);
    EXPECT_EQ(ended.code, 0) << line;
    EXPECT_GT(ended.out.size(), 5u) << line;
    EXPECT_EQ(ended.err, "") << line;
  }
}

// Caught: without the flush at the end of run() this gave 0 and lost the answer.
TEST_F(Verbs, AnAnswerThatCannotBeWrittenIsAFailure) {
  fit_regression();
  for (const auto* line : {"evaluate r.mbnn r.csv", "summary r.mbnn", "diagnose r.mbnn --json"}) {
    const Ended ended = run(line, [] { dup2(open("/dev/full", O_WRONLY), 1); });
    EXPECT_EQ(ended.code, 1) << line;
    EXPECT_THAT(ended.err, HasSubstr("No space left on device")) << line;
  }
}

}  // namespace
}  // namespace mbnn
