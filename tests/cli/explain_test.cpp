// mbnn explain: what it prints and writes, that shares add up, and what it refuses.
#include "tests/support/program.h"

namespace mbnn {
namespace {

using Explain = CommandLine;

TEST_F(Explain, SpeaksOfColumnsOfTheTable) {
  fit_regression();
  const Ended text = run("explain r.mbnn --rows 1,5");
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("mean log score of 60 rows"), HasSubstr("\ny by a\n"), HasSubstr("\na and b "),
                              HasSubstr("row 5: y is "), Not(HasSubstr("c=red"))));
  const auto json = nlohmann::json::parse(run("explain r.mbnn --rows 1,5 --json --threads 1").out);
  EXPECT_EQ(nlohmann::json::parse(run("explain r.mbnn --rows 1,5 --json --threads 3").out), json);
  EXPECT_EQ(json.at("importance").size(), 3u);
  EXPECT_EQ(json.at("effects").size(), 3u);
  EXPECT_EQ(json.at("pairs").size(), 2u);
  EXPECT_NEAR(json.at("log_score").get<double>(),
              -nlohmann::json::parse(run("evaluate r.mbnn r.csv --json").out).at("nll").get<double>(), 1e-9);
  for (const auto& row : json.at("rows")) {
    double sum = 0;
    for (const auto& share : row.at("columns")) sum += share.at("value").get<double>();
    EXPECT_NEAR(sum, row.at("prediction").get<double>() - row.at("mean").get<double>(), 1e-9);
  }
  EXPECT_NE(nlohmann::json::parse(run("explain r.mbnn --json --seed 5").out).at("importance"), json.at("importance"));
}

// The training rows are those of the fit, so the table itself gives the same. Rows count those of the table, although
// one has no target.
TEST_F(Explain, ReadsATableAsThePredictionsDo) {
  fit_regression();
  const auto own = nlohmann::json::parse(run("explain r.mbnn --rows 3 --json").out);
  EXPECT_EQ(nlohmann::json::parse(run("explain r.mbnn r.csv --rows 3 --json").out), own);
  std::string text = "a,b,c,y\n0.5,0.5,red,NA\n";
  for (const auto& line : lines(regression_table()))
    if (line[0] != 'a') text += line + "\n";
  write("t.csv", text);
  auto shifted = nlohmann::json::parse(run("explain r.mbnn t.csv --rows 4 --json -q").out);
  EXPECT_EQ(shifted.at("importance"), own.at("importance"));
  EXPECT_EQ(shifted.at("rows").at(0).at("row"), 4);
  EXPECT_EQ(shifted.at("rows").at(0).at("columns"), own.at("rows").at(0).at("columns"));
}

TEST_F(Explain, WritesATableOfAllNumbers) {
  fit_regression();
  const std::string more = " --rows 2 --effects 1 --pairs 1 --shuffles 2";
  run_well("explain r.mbnn --out e.csv -q" + more);
  run_well("explain r.mbnn --out e.jsonl -q" + more);
  const auto csv = lines(read("e.csv")), json = lines(read("e.jsonl"));
  EXPECT_EQ(csv.at(0), "what,row,column,cell,column2,cell2,value,lower,upper,error");
  ASSERT_EQ(csv.size(), json.size() + 1);
  std::map<std::string, int> kinds;
  for (const auto& line : json) ++kinds[nlohmann::json::parse(line).at("what")];
  EXPECT_EQ(kinds, (std::map<std::string, int>{{"importance", 3},
                                               {"partial", 10},
                                               {"local", 10},
                                               {"together", 1},
                                               {"pair", 36},
                                               {"prediction", 1},
                                               {"mean", 1},
                                               {"share", 3}}));
}

TEST_F(Explain, ClassesHaveAProbabilityEach) {
  write("k.csv", class_table({"low", "mid", "top"}));
  run_well(tiny("fit k.csv --target kind --out k.mbnn -q"));
  double sum = 0;
  for (const char* label : {"low", "mid", "top"}) {
    const auto json = nlohmann::json::parse(run(fmt::format("explain k.mbnn --json --rows 1 --class {}", label)).out);
    EXPECT_EQ(json.at("prediction"), fmt::format("P(kind = {})", label));
    sum += json.at("rows").at(0).at("prediction").get<double>();
  }
  EXPECT_NEAR(sum, 1, 1e-9);
  write("two.csv", class_table({"low", "top"}));
  run_well(tiny("fit two.csv --target kind --out two.mbnn -q"));
  const auto second = nlohmann::json::parse(run("explain two.mbnn --json --rows 1").out);
  const auto first = nlohmann::json::parse(run("explain two.mbnn --json --rows 1 --class low").out);
  EXPECT_EQ(second.at("prediction"), "P(kind = top)");
  EXPECT_NEAR(first.at("rows").at(0).at("prediction").get<double>(),
              1 - second.at("rows").at(0).at("prediction").get<double>(), 1e-9);
  expect_refused("explain k.mbnn --class none", {"--class = none: expected one of low, mid, top"});
}

TEST_F(Explain, RefusesWhatCannotBe) {
  fit_regression();
  write("n.csv", "a,b,c\n1,2,red\n");
  expect_refused("explain r.mbnn --rows 61", {"--rows = 61: must be one of 1 to 60"});
  expect_refused("explain r.mbnn --rows 0", {"--rows = 0: must be one of 1 to 60"});
  expect_refused("explain r.mbnn n.csv", {"n.csv: lacks 1 of the columns", ": y"});
  expect_refused("explain r.mbnn --class red", {"--class = red: the target is a number"});
  expect_refused("explain r.mbnn --shuffles 1", {"--shuffles = 1: must be at least 2"});
  expect_refused("explain r.mbnn --format csv", {"--format: of use only with out"});
  expect_refused("explain r.csv r.mbnn", {"r.mbnn is a fit", "the fit comes first"});
  expect_refused("explain r.mbnn --out r.mbnn", {"--out r.mbnn is an input"});
}

}  // namespace
}  // namespace mbnn
