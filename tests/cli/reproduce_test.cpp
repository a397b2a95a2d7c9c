// mbnn reproduce on small tables made here: rows that come out the same again, interrupted studies, wrong input.
#include "tests/support/studies.h"

namespace mbnn {
namespace {

// Seen to fail when the seed did not depend on the split's number but on its place in the list.
TEST_F(Reproduce, OneSplitAloneGivesTheRowOfTheWholeStudy) {
  run_well(std::string("reproduce uci --data-dir data --out all --sets boston --splits 1-3 --threads 2 -q") + kTiny);
  run_well(
      std::string("reproduce uci --data-dir data --out one --sets boston --splits 3 --methods mbnn --threads 1 -q") +
      kTiny);
  const auto all = rows("all/rows.csv"), one = rows("one/rows.csv");
  EXPECT_EQ(all.size(), 1u + 9u);
  ASSERT_EQ(one.size(), 1u + 1u);
  EXPECT_EQ(one.at("boston mbnn 3"), all.at("boston mbnn 3"));
  EXPECT_NE(all.at("boston mbnn 2"), all.at("boston mbnn 3"));
  EXPECT_TRUE(
      same_draws(stored_draws(path("one/fits/boston-mbnn-3.mbnn")), stored_draws(path("all/fits/boston-mbnn-3.mbnn"))));
  EXPECT_THAT(read("all/table.md"), AllOf(HasSubstr("| Boston | mBNN | ours | 3 |"), HasSubstr("2.902 ± 0.143")));
}

TEST_F(Reproduce, EveryStudyRuns) {
  run_well(std::string("reproduce polynomial --splits 1-2 --no-fits -q") + kTiny);
  EXPECT_TRUE(std::filesystem::is_empty(path("reproduce/polynomial/fits")));
  EXPECT_EQ(rows("reproduce/polynomial/rows.csv").size(), 1u + 4u);
  EXPECT_EQ(csv_numbers(read("reproduce/polynomial/bands_mbnn.csv")).size(), 201u);
  EXPECT_EQ(csv_numbers(read("reproduce/polynomial/data.csv")).size(), 20u);
  run_well(std::string("reproduce lambda --data-dir data --sets boston --splits 1 -q") + kTiny);
  EXPECT_EQ(rows("reproduce/lambda/rows.csv").size(), 1u + 5u);
  run_well(std::string("reproduce classification --data-dir data --sets haberman --splits 1-2 -q") + kTiny);
  EXPECT_THAT(read("reproduce/classification/table.md"),
              AllOf(HasSubstr("| Haberman | mBNN | 2 |"), HasSubstr("| Haberman | NS-VI | 2 |"),
                    HasSubstr("| Haberman | logistic regression | 2 |")));
  run_well(std::string("reproduce concentration --methods 100,300 --sets smooth,composed --splits 1 -q") + kTiny);
  EXPECT_EQ(rows("reproduce/concentration/rows.csv").size(), 1u + 4u);
  EXPECT_THAT(read("reproduce/concentration/table.md"), AllOf(HasSubstr("| smooth | 300 | 1 |"), HasSubstr("-0.375")));
  run_well(std::string("reproduce proposals --data-dir data --sets polynomial,boston -q") + kTiny);
  EXPECT_EQ(rows("reproduce/proposals/rows.csv").size(), 1u + 18u);
  EXPECT_EQ(csv_numbers(read("reproduce/proposals/traces/boston-uniform-reciprocal-1.csv")).size(), 2u * 41u);
}

TEST_F(Reproduce, TablesAreMadeAgainWithoutData) {
  run_well(std::string("reproduce uci --data-dir data --out s --sets boston --splits 1 -q") + kTiny);
  std::filesystem::remove_all(path("data"));
  const std::string table = read("s/table.md");
  std::filesystem::remove(path("s/table.md"));
  const Ended ended =
      run(std::string("reproduce uci --data-dir data --out s --sets boston --splits 1 --table-only") + kTiny);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(read("s/table.md"), table);
  EXPECT_EQ(ended.out, table);
}

TEST_F(Reproduce, ChangedSettingsAreRefused) {
  run_well(std::string("reproduce uci --data-dir data --out s --sets boston --splits 1 -q") + kTiny);
  const std::string before = read("s/rows.csv");
  expect_refused(std::string("reproduce uci --data-dir data --out s --sets boston --splits 1-2 --seed 5") + kTiny,
                 {"s/rows.csv: the row 'boston bnn 1' was made with other settings: choose another --out"});
  write("data/uci/boston/boston.csv", read("data/uci/boston/boston.csv") + "0,0,0\n");
  expect_refused(std::string("reproduce uci --data-dir data --out s --sets boston --splits 1") + kTiny,
                 {"other settings"});
  EXPECT_EQ(read("s/rows.csv"), before);
}

// Caught: method and λ were set after the user's options, which were lost without a word.
TEST_F(Reproduce, OptionsReachEveryMethodOrAreRefused) {
  run_well(
      "reproduce uci --data-dir data --out s --sets boston --splits 1 --methods ns-vi --chains 2 -q -- --hidden 7,6 "
      "--epochs 3 --batch 11");
  const auto stored = FitFile::open(path("s/fits/boston-ns-vi-1.mbnn"), FitFile::Mode::read).configuration();
  EXPECT_EQ(stored.at("hidden"), nlohmann::json({7, 6}));
  EXPECT_EQ(stored.at("chains"), 2);
  EXPECT_EQ(stored.at("variational").at("batch"), 11);
  // Logistic regression has one draw and a normal prior, whatever the other methods are told.
  run_well(
      "reproduce classification --data-dir data --out c --sets haberman --splits 1 --methods logistic --chains 2 -q -- "
      "--weight-prior cauchy:0.1");
  const auto logistic = FitFile::open(path("c/fits/haberman-logistic-1.mbnn"), FitFile::Mode::read).configuration();
  EXPECT_EQ(logistic.at("chains"), 1);
  EXPECT_EQ(logistic.at("weight_prior").at("scale"), 1.0);
  const std::string from = " --data-dir data --sets boston --splits 1 --out new ";
  expect_refused("reproduce lambda" + from + "--methods 0.1 -- --lambda auto",
                 {"--lambda is what 0.1 of --methods says"});
  expect_refused("reproduce uci" + from + "--methods mbnn -- --masks off", {"--masks is what mbnn of --methods says"});
  expect_refused("reproduce proposals" + from + "--methods uniform-linear -- --birth linear", {"--birth is what"});
  expect_refused("reproduce uci" + from + "--methods mbnn,mbnn", {"--methods 'mbnn' is there twice"});
  expect_refused("reproduce series --sets search --splits 1 --out new -- --truncate 3", {"mbnn series fit"});
}

// Caught: the fit of the old table was scored on rows of the new one.
TEST_F(Reproduce, AFitOfOtherDataIsNotContinued) {
  const std::string line =
      std::string("reproduce uci --data-dir data --out s --sets boston --splits 1 --methods mbnn -q") + kTiny;
  run_well(line);
  std::filesystem::remove(path("s/rows.csv"));  // as if it had been stopped before its row
  std::string table = read("data/uci/boston/boston.csv");
  table[table.size() - 2] = table[table.size() - 2] == '1' ? '2' : '1';
  write("data/uci/boston/boston.csv", table);
  const Ended ended = run(line);
  EXPECT_NE(ended.code, 0);
  EXPECT_THAT(ended.err, HasSubstr("begun with another table or other splits"));
}

TEST_F(Reproduce, WrongInputIsRefusedInOneLine) {
  auto refused = [&](const std::string& line, const std::string& said) {
    expect_refused(line, {said});
    EXPECT_EQ(lines(run(line).err).size(), 1u) << line;
  };
  refused("reproduce uci --sets boston", "no data: --data-dir (or MBNN_DATA) must name a directory");
  refused("reproduce uci --data-dir nowhere", "nowhere/uci/boston/boston.csv is not there");
  refused("reproduce uci --data-dir data --splits 1", "'Concrete Compressive Strength' of the UCI repository");
  refused("reproduce uci --data-dir data --sets bostn", "--sets 'bostn': expected some of");
  refused("reproduce uci --data-dir data --sets boston, ", "--sets 'boston,': expected names");
  refused("reproduce uci --data-dir data --sets boston --methods mbn", "did you mean 'mbnn'?");
  refused("reproduce uci --data-dir data --sets boston --splits 1-4", "splits_paper.txt has 3 splits");
  refused("reproduce uci --data-dir data --sets boston --splits 3-1", "--splits '3-1': expected numbers");
  refused("reproduce uci --data-dir data --sets boston --splits 0", "--splits '0': expected numbers");
  refused("reproduce uci --data-dir data --sets boston --splits-file other.txt",
          "data/uci/boston/other.txt is not there");
  refused("reproduce uci --data-dir data --sets boston -- --leapfrog 3",
          "options of mbnn fit behind --: no option --leapfrog");
  refused("reproduce uci --data-dir data --sets boston --splits 1 -- --warmup -3", "--warmup = -3");
  refused("reproduce uci --out none --table-only", "none/rows.csv cannot be read");
  write("data/uci/boston/splits_paper.txt", "0 1\n3 40\n");
  refused("reproduce uci --data-dir data --sets boston --splits 1",
          "line 2: expected row numbers from 0 to 39, found '40'");
  expect_refused("reproduce", {"expected one of polynomial, uci"});
  expect_refused("reproduce uic", {"no verb 'reproduce uic'"});
  expect_refused("reproduce uci --preset ours", {"--preset = ours: expected default or paper"});
}

}  // namespace
}  // namespace mbnn
