// The baselines on the command line: fit, predict, evaluate, summary, diagnose, resume, and what is refused.
#include "tests/support/program.h"

namespace mbnn {
namespace {

class Baselines : public CommandLine {};

constexpr const char* kSmall = " --method ns-vi --hidden 8,6 --epochs 20 --draws 5 -q";

TEST_F(Baselines, VariationalFitServesEveryVerb) {
  write("r.csv", regression_table());
  run_well(fmt::format("fit r.csv --target y --out r.mbnn{}", kSmall));
  run_well("predict r.mbnn r.csv --out p.csv");
  EXPECT_EQ(csv_numbers(read("p.csv")).size(), 60u);
  EXPECT_EQ(nlohmann::json::parse(run("evaluate r.mbnn r.csv --json").out).at("n"), 60);
  EXPECT_THAT(run("summary r.mbnn").out, AllOf(HasSubstr("ns-vi"), HasSubstr("25 of 25"), Not(HasSubstr("lambda"))));
  const Ended diagnosis = run("diagnose r.mbnn");
  EXPECT_EQ(diagnosis.code, 0);
  EXPECT_THAT(diagnosis.out, AllOf(HasSubstr("variational"), HasSubstr("R-hat and effective draws have no meaning"),
                                   Not(HasSubstr("bulk ESS"))));
  const auto json = nlohmann::json::parse(run("diagnose r.mbnn --json").out);
  EXPECT_TRUE(json.at("traces").at("noise_sd").at("rhat").is_null());
}

TEST_F(Baselines, VariationalFitOfClasses) {
  write("c.csv", class_table({"low", "middle", "high"}));
  run_well(fmt::format("fit c.csv --target kind --out c.mbnn{}", kSmall));
  EXPECT_TRUE(nlohmann::json::parse(run("evaluate c.mbnn c.csv --json").out).contains("accuracy"));
  write("b.csv", class_table({"no", "yes"}));
  run_well(fmt::format("fit b.csv --target kind --out b.mbnn{}", kSmall));
  run_well(fmt::format("fit b.csv --target kind --out b2.mbnn --two-logits{}", kSmall));
}

TEST_F(Baselines, ResumeAddsDraws) {
  write("r.csv", regression_table());
  run_well(fmt::format("fit r.csv --target y --out r.mbnn{}", kSmall));
  run_well("resume r.mbnn --draws 4 -q");
  run_well(
      fmt::format("fit r.csv --target y --out whole.mbnn --draws 9{}", " --method ns-vi --hidden 8,6 --epochs 20 -q"));
  EXPECT_TRUE(same_draws(stored_draws(path("r.mbnn")), stored_draws(path("whole.mbnn"))));
}

TEST_F(Baselines, LogisticRegressionServesEveryVerb) {
  write("c.csv", class_table({"low", "middle", "high"}, 200));
  run_well("fit c.csv --target kind --out c.mbnn --method logistic -q");
  const auto draws = stored_draws(path("c.mbnn"));
  ASSERT_EQ(draws.size(), 1u);
  const auto figures = nlohmann::json::parse(run("evaluate c.mbnn c.csv --json").out);
  EXPECT_GT(figures.at("accuracy").get<double>(), 0.9);  // the classes are intervals of a
  run_well("predict c.mbnn c.csv --out p.csv");
  EXPECT_THAT(run("summary c.mbnn").out, AllOf(HasSubstr("logistic"), Not(HasSubstr("widths"))));
  const Ended diagnosis = run("diagnose c.mbnn");
  EXPECT_EQ(diagnosis.code, 0);
  EXPECT_THAT(diagnosis.out, HasSubstr("the posterior's mode"));
  expect_refused("resume c.mbnn --draws 3", {"logistic regression", "one draw"});
  run_well("resume c.mbnn -q");
  EXPECT_TRUE(same_draws(stored_draws(path("c.mbnn")), draws));
}

TEST_F(Baselines, OptionsOfOtherMethodsAreRefused) {
  write("r.csv", regression_table());
  write("c.csv", class_table({"no", "yes"}));
  const std::string vi = "fit r.csv --target y --out r.mbnn --method ns-vi ";
  for (const char* option :
       {"--warmup 5", "--thin 2", "--sampler nuts", "--masks off", "--lambda 0.2", "--birth linear",
        "--weight-prior normal:1", "--leapfrog-steps 5", "--mask-moves 3", "--step-length 0.1"})
    expect_refused(vi + option, {words(option)[0] + ": of use only with method mcmc"});
  for (const char* option : {"--epochs 5", "--learning-rate 0.1", "--prune-above 1"})
    expect_refused(std::string("fit r.csv --target y --out r.mbnn ") + option,
                   {words(option)[0] + ": of use only with method ns-vi"});
  const std::string logistic = "fit c.csv --target kind --out c.mbnn --method logistic ";
  for (const char* option : {"--hidden 5", "--draws 5", "--chains 2", "--epochs 5", "--batch 10"})
    expect_refused(logistic + option, {words(option)[0] + ": of use only with "});
  expect_refused(logistic + "--weight-prior cauchy:1",
                 {"--weight-prior = cauchy:1: method logistic takes normal:SCALE"});
  expect_refused(vi + "--epochs 0", {"--epochs = 0"});
  expect_refused(vi + "--learning-rate -1", {"--learning-rate"});
  expect_refused(vi + "--batch 0", {"--batch = 0"});
  expect_refused("fit r.csv --target y --out r.mbnn --method logistic", {"--method = logistic", "needs classes"});
  expect_refused("fit r.csv --target y --out r.mbnn --method magic", {"--method"});
}

TEST_F(Baselines, DivergingTrainingEndsInOneLine) {
  write("r.csv", regression_table());
  const Ended ended =
      run("fit r.csv --target y --out r.mbnn --method ns-vi --hidden 8 --learning-rate 1e30 --epochs 50 -q");
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err, HasSubstr("smaller learning-rate"));
}

}  // namespace
}  // namespace mbnn
