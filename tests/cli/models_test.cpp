// Every kind of model and sampler that the options offer, through fit, predict, evaluate and diagnose.
#include "tests/support/program.h"

namespace mbnn {
namespace {

struct Case {
  const char* name;
  const char* options;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Models : public CommandLine, public ::testing::WithParamInterface<Case> {
 protected:
  nlohmann::json configuration() const { return FitFile::open(path("m.mbnn"), FitFile::Mode::read).configuration(); }
};

TEST_P(Models, FitsAndPredictsRegression) {
  write("r.csv", regression_table());
  run_well(tiny(fmt::format("fit r.csv --target y --out m.mbnn -q {}", GetParam().options)));
  EXPECT_EQ(stored_draws(path("m.mbnn")).size(), 20u);
  run_well("predict m.mbnn r.csv --out p.csv -q");
  const auto rows = csv_numbers(read("p.csv"));
  EXPECT_EQ(rows.size(), 60u);
  for (const auto& row : rows)
    for (double value : row) EXPECT_TRUE(std::isfinite(value));
  run_well("evaluate m.mbnn r.csv --json");
  EXPECT_THAT(run("diagnose m.mbnn").code, ::testing::AnyOf(0, 3));
}

INSTANTIATE_TEST_SUITE_P(
    Options, Models,
    ::testing::Values(Case{"hmc", "--sampler hmc"}, Case{"nuts", "--sampler nuts"},
                      Case{"sgld", "--sampler sgld --step-schedule cosine"},
                      Case{"sghmc", "--sampler sghmc --batch 16"}, Case{"masks_off", "--masks off --hidden 8,8"},
                      Case{"lambda_auto", "--lambda auto"}, Case{"lambda_validate", "--lambda validate"},
                      Case{"student", "--weight-prior student:0.5:4"}, Case{"normal", "--weight-prior normal:1"},
                      Case{"learnt_scale", "--weight-prior cauchy:0.5:learn"},
                      Case{"student_learnt", "--weight-prior student:learn"}, Case{"hidden_auto", "--hidden auto"},
                      Case{"one_layer", "--hidden 30"}, Case{"three_layers", "--hidden 10,12,8"},
                      Case{"truncated", "--truncate 2"}, Case{"raw_target", "--raw-target"},
                      Case{"paper", "--preset paper"}, Case{"ladder", "--rungs 4 --swap-rate 0.3"},
                      Case{"one_flip", "--max-flips 1 --birth linear --death linear"}),
    [](const auto& info) { return std::string(info.param.name); });

using ModelDetails = Models;

TEST_F(ModelDetails, TruncationBoundsTheMeans) {
  write("r.csv", regression_table());
  run_well(tiny("fit r.csv --target y --out m.mbnn -q --truncate 0.5 --start-steps 300"));
  run_well("predict m.mbnn r.csv --out p.csv -q");
  bool reached = false;
  for (const auto& row : csv_numbers(read("p.csv"))) {
    EXPECT_LE(std::abs(row[0]), 0.5 + 1e-6);
    reached = reached || std::abs(row[0]) > 0.49;
  }
  EXPECT_TRUE(reached);  // y goes beyond 2: a bound that is never met would test nothing
}

// One draw, so that its noise can be read off the predictions. Caught when broken: the share without its half.
TEST_F(ModelDetails, OutliersWidenTheTailsAndLeaveTheMean) {
  const std::string table = regression_table();
  write("r.csv", table);
  const double rows = static_cast<double>(std::count(table.begin(), table.end(), '\n')) - 1;
  for (const std::string outliers : {"allow", "none"}) {
    run_well(tiny("fit r.csv --target y --out " + outliers + ".mbnn -q --chains 1 --draws 1 --outliers " + outliers));
    run_well("predict " + outliers + ".mbnn r.csv --out " + outliers + ".csv -q");
  }
  const auto allow = csv_numbers(read("allow.csv")), none = csv_numbers(read("none.csv"));
  const double share = 0.5 / (rows + 1);
  for (std::size_t i = 0; i < none.size(); ++i) {
    EXPECT_NEAR(allow[i][0], none[i][0], 1e-6);
    EXPECT_NEAR(allow[i][1], none[i][1] * std::sqrt(1 + 99 * share), 1e-6 * none[i][1]);
    EXPECT_GT(allow[i][3], none[i][3]);
  }
  // A row a hundred standard deviations away costs 5,000 nats under the normal law, and some tens under the other.
  const double far = none[0][0] + 100 * none[0][1];
  const std::size_t end = table.find('\n', table.find('\n') + 1), comma = table.rfind(',', end);
  write("far.csv", table.substr(0, comma + 1) + fmt::format("{}\n", far));
  auto nll = [&](const char* fit) {
    return nlohmann::json::parse(run(fmt::format("evaluate {}.mbnn far.csv --json", fit)).out).at("nll").get<double>();
  };
  EXPECT_GT(nll("none"), 4000);
  EXPECT_LT(nll("allow"), 80);
}

TEST_F(ModelDetails, MasksOffKeepsEveryNode) {
  write("r.csv", regression_table());
  run_well(tiny("fit r.csv --target y --out m.mbnn -q --masks off --hidden 8,5"));
  const auto json = nlohmann::json::parse(run("summary m.mbnn --json").out);
  EXPECT_EQ(json.at("widths"), (std::vector<double>{8, 5}));
  EXPECT_EQ(json.at("weights"), 5 * 8 + 8 + 8 * 5 + 5 + 5 + 1);
}

// Caught: learn_scale left out of the stored configuration.
TEST_F(ModelDetails, WhatIsLearntVariesAndWhatIsFixedDoesNot) {
  write("r.csv", regression_table());
  for (const auto* options : {"", "--lambda auto --weight-prior cauchy:0.5:learn"}) {
    run_well(tiny(fmt::format("fit r.csv --target y --out m.mbnn -q --force {}", options)));
    const auto names = configuration().at("traces").get<std::vector<std::string>>();
    const bool learnt = *options != '\0';
    for (const auto* name : {"lambda", "weight_scale"}) {
      const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
      std::set<double> values;
      for (const auto& draw : stored_draws(path("m.mbnn"))) values.insert(draw.scalars.at(at));
      EXPECT_EQ(values.size() > 10, learnt) << name << " " << options;
    }
  }
}

TEST_F(ModelDetails, ValidationStoresTheLambdaThatItChose) {
  write("r.csv", regression_table());
  const Ended ended = run(tiny("fit r.csv --target y --out m.mbnn --lambda validate"));
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto said = ended.err.substr(0, ended.err.find(" chosen"));
  EXPECT_EQ(configuration().at("lambda").get<double>(), std::stod(said.substr(said.rfind(' '))));
  EXPECT_EQ(configuration().at("lambda_choice"), "validated");
}

TEST_F(ModelDetails, ThePaperPresetIsThePapersSetting) {
  write("r.csv", regression_table());
  run_well(
      "fit r.csv --target y --out m.mbnn -q --preset paper --hidden 20,20 --start-width 6 --warmup 2 --draws 2 --thin "
      "1");
  const auto c = configuration();
  EXPECT_EQ(c.at("chain").at("leapfrog_steps"), 20);
  EXPECT_EQ(c.at("chains"), 1);
  EXPECT_EQ(c.at("scale_target"), false);
  EXPECT_EQ(c.at("outliers"), false);
  EXPECT_EQ(c.at("chain").at("draws"), 2);  // what is given goes before the preset
}

TEST_F(ModelDetails, ClassificationTakesEverySampler) {
  write("k.csv", class_table({"low", "mid", "top"}));
  write("b.csv", class_table({"0", "1"}));
  for (const auto* sampler : {"hmc", "nuts", "sgld", "sghmc", "nuts --rungs 3"}) {
    run_well(tiny(fmt::format("fit k.csv --target kind --out m.mbnn -q --force --sampler {}", sampler)));
    run_well("evaluate m.mbnn k.csv");
    run_well(tiny(fmt::format("fit b.csv --target kind --out b.mbnn -q --force --sampler {}", sampler)));
    run_well("evaluate b.mbnn b.csv");
  }
  run_well(tiny("fit b.csv --target kind --out b.mbnn -q --force --two-logits --lambda auto"));
  run_well("evaluate b.mbnn b.csv");
}

TEST_F(ModelDetails, DelimitersAndTablesWithoutHeader) {
  std::string text;
  for (const auto& line : lines(regression_table()))
    if (line[0] != 'a') text += line + "\n";
  write("n.csv", text);
  run_well(tiny("fit n.csv --no-header --target x4 --out m.mbnn -q"));
  run_well("evaluate m.mbnn n.csv");
  std::string semicolons = regression_table();
  std::replace(semicolons.begin(), semicolons.end(), ',', ';');
  write("s.csv", semicolons);
  run_well(tiny("fit s.csv --target y --out s.mbnn -q"));
  write("r.csv", regression_table());
  run_well("evaluate s.mbnn r.csv");  // the delimiter was guessed, so that another one may come
}

}  // namespace
}  // namespace mbnn
