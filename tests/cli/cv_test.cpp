// mbnn cv: figures by fold and of all rows, what is kept, and what an interruption leaves.
#include "tests/support/program.h"

namespace mbnn {
namespace {

class Cv : public CommandLine {
 protected:
  void SetUp() override { write("r.csv", regression_table()); }
};

TEST_F(Cv, ScoresEveryRowOnce) {
  const Ended text = run(tiny("cv r.csv --target y --folds 3"));
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("fold     rows       rmse"), HasSubstr("\nrows      60\n"),
                              HasSubstr("quarters by prediction")));
  EXPECT_THAT(text.err, AllOf(HasSubstr("60 rows in 3 folds, target y"), HasSubstr("fold 2 of 3: rmse "),
                              HasSubstr("; about 0:0")));
  EXPECT_EQ(files(), std::set<std::string>{"r.csv"});
  const auto json = nlohmann::json::parse(run(tiny("cv r.csv --target y --folds 3 --json -q --threads 1")).out);
  EXPECT_TRUE(json.at("finished"));
  ASSERT_EQ(json.at("folds").size(), 3u);
  double nll = 0;
  for (const auto& fold : json.at("folds")) {
    EXPECT_EQ(fold.at("n"), 20);
    EXPECT_EQ(fold.at("training_rows"), 40);
    nll += fold.at("nll").get<double>() / 3;
  }
  EXPECT_EQ(json.at("pooled").at("n"), 60);
  EXPECT_NEAR(json.at("pooled").at("nll").get<double>(), nll, 1e-12);
  const auto again = nlohmann::json::parse(run(tiny("cv r.csv --target y --folds 3 --json -q --threads 3")).out);
  EXPECT_EQ(again.at("pooled"), json.at("pooled"));
  const auto other = nlohmann::json::parse(run(tiny("cv r.csv --target y --folds 3 --json -q --seed 2")).out);
  EXPECT_NE(other.at("pooled"), json.at("pooled"));
}

// Caught: fits in memory that differ from those in files.
TEST_F(Cv, KeepsFitsIfAsked) {
  const std::string line = tiny("cv r.csv --target y --folds 2 --json -q");
  const auto json = nlohmann::json::parse(run(line + " --keep-fits kept").out);
  auto plain = nlohmann::json::parse(run(line).out);
  EXPECT_EQ(json.at("pooled"), plain.at("pooled"));
  EXPECT_EQ(stored_draws(path("kept/fold2.mbnn")).size(), 20u);
  EXPECT_EQ(run("predict kept/fold1.mbnn r.csv -q").code, 0);
  EXPECT_EQ(run(line + " --keep-fits kept").code, 2);
  EXPECT_THAT(run(line + " --keep-fits kept").err, HasSubstr("kept/fold1.mbnn exists"));
}

TEST_F(Cv, ClassesAreInEveryFold) {
  write("k.csv", class_table({"low", "mid", "top"}));
  const Ended ended = run(tiny("cv k.csv --target kind --folds 4 --json -q --lambda validate"));
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto json = nlohmann::json::parse(ended.out);
  for (const auto& fold : json.at("folds"))
    for (const double rate : fold.at("base_rates")) EXPECT_GT(rate, 0);
  EXPECT_TRUE(json.at("pooled").at("auc").is_number());
}

TEST_F(Cv, InterruptedSaysWhatWasDone) {
  Running cv(directory(), words(tiny("cv r.csv --target y --folds 40 --json --draws 1500")));
  for (int i = 0; i < 1200 && cv.err().find("fold 2 of 40: rmse") == std::string::npos; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  cv.send(SIGINT);
  const Ended ended = cv.wait();
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("interrupted: "), HasSubstr("of 40 folds were done, and the figures")));
  const auto json = nlohmann::json::parse(ended.out);
  EXPECT_FALSE(json.at("finished"));
  EXPECT_GE(json.at("folds").size(), 2u);
  EXPECT_LT(json.at("folds").size(), 40u);
  EXPECT_EQ(files(), std::set<std::string>{"r.csv"});
}

TEST_F(Cv, RefusesWhatCannotBe) {
  expect_refused("cv r.csv --target y --folds 1", {"--folds = 1: must be at least 2"});
  expect_refused("cv r.csv --target y --folds 61", {"--folds = 61: must be at most the number of rows, 60"});
  expect_refused("cv r.csv --target yy", {"no column 'yy' for the target"});
  expect_refused("cv r.csv", {"--target is required"});
  expect_refused("cv r.csv --target y --out r.mbnn", {"no option --out", "--keep-fits"});
  expect_refused("cv r.csv --target y --sampler nuts --leapfrog-steps 5", {"--leapfrog-steps"});
  write("k.csv", class_table({"low", "top"}) + "0.5,0.5,mid\n");
  expect_refused("cv k.csv --target kind", {"class 'mid' of kind has 1 row"});
}

}  // namespace
}  // namespace mbnn
