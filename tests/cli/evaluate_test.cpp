// mbnn evaluate: every figure in text and in JSON, for numbers and for classes.
#include "tests/support/program.h"

namespace mbnn {
namespace {

using Evaluate = CommandLine;

TEST_F(Evaluate, NumbersAreScoredBesideAConstant) {
  fit_regression();
  const Ended text = run("evaluate r.mbnn r.csv");
  EXPECT_EQ(text.code, 0);
  const auto line = lines(text.out);
  EXPECT_EQ(line.at(0), "rows      60");
  EXPECT_THAT(text.out, AllOf(HasSubstr("\nrmse      "), HasSubstr("(a constant: "), HasSubstr("\nr2        "),
                              HasSubstr("(of the 95% interval)"), HasSubstr("\npit       "),
                              HasSubstr("quarters by prediction")));
  EXPECT_EQ(line.size(), 9u + 2 + 4);
  const auto json = nlohmann::json::parse(run("evaluate r.mbnn r.csv --json --interval .8").out);
  for (const char* name :
       {"n", "rmse", "nll", "crps", "coverage", "interval_width", "interval_score", "mae", "r2", "nll_gain"})
    EXPECT_TRUE(json.at(name).is_number()) << name;
  EXPECT_EQ(json.at("interval"), 0.8);
  const double ratio = json.at("rmse").get<double>() / json.at("constant").at("rmse").get<double>();
  EXPECT_NEAR(json.at("skill").at("rmse").get<double>(), 1 - ratio, 1e-12);
  // The constant is that of the training rows, which these are: it explains nothing of them.
  EXPECT_NEAR(json.at("r2").get<double>(), 1 - ratio * ratio, 1e-6);
  std::size_t rows = 0;
  for (const auto& count : json.at("pit").at("counts")) rows += count.get<std::size_t>();
  EXPECT_EQ(rows, 60u);
  EXPECT_EQ(json.at("coverage_by_prediction").size(), 4u);
}

TEST_F(Evaluate, ClassesHaveAConfusionMatrix) {
  write("k.csv", class_table({"low", "mid", "top"}));
  run_well(tiny("fit k.csv --target kind --out k.mbnn -q"));
  const Ended text = run("evaluate k.mbnn k.csv");
  EXPECT_THAT(text.out, AllOf(HasSubstr("always the most frequent class: "), HasSubstr("\nauc       "),
                              HasSubstr("mean of each class against the rest"), HasSubstr("base rate  predicted")));
  const auto json = nlohmann::json::parse(run("evaluate k.mbnn k.csv --json").out);
  EXPECT_EQ(json.at("labels"), (std::vector<std::string>{"low", "mid", "top"}));
  double rows = 0, right = 0;
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t j = 0; j < 3; ++j) {
      const double count = json.at("confusion").at(k).at(j);
      rows += count;
      if (j == k) right += count;
    }
  EXPECT_EQ(rows, 60);
  EXPECT_NEAR(json.at("accuracy").get<double>(), right / rows, 1e-12);
  for (const char* name : {"nll", "ece", "brier", "auc"}) EXPECT_TRUE(json.at(name).is_number()) << name;
}

// One row: no two targets to tell apart, so some figures are none. Caught: -inf for the share of a
// variance of 0.
TEST_F(Evaluate, OneRowHasFewerFigures) {
  fit_regression();
  write("one.csv", "a,b,c,y\n0.1,0.2,red,1\n");
  EXPECT_THAT(run("evaluate r.mbnn one.csv").out, HasSubstr("\nr2        -\n"));
  EXPECT_TRUE(nlohmann::json::parse(run("evaluate r.mbnn one.csv --json").out).at("r2").is_null());
}

}  // namespace
}  // namespace mbnn
