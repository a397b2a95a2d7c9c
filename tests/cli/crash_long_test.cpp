// Killed at any moment, or on a full disk: the file opens, no draw is lost, and resume ends in the undisturbed draws.
#include <sys/resource.h>

#include "tests/support/program.h"

namespace mbnn {
namespace {

class Crash : public CommandLine {
 protected:
  void SetUp() override { write("r.csv", regression_table()); }

  // Starts, kills after the delay, and checks what is left. False if there is no fit to resume yet.
  bool kill_once(const std::string& line, int milliseconds, const std::vector<StoredDraw>& whole) {
    std::vector<StoredDraw> before;
    if (exists("r.mbnn") && line.starts_with("resume")) before = stored_draws(path("r.mbnn"));
    Running program(directory(), words(line));
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    program.send(SIGKILL);
    const Ended ended = program.wait();
    EXPECT_TRUE(ended.signal == SIGKILL || ended.code == 0) << ended.code << ended.err;
    killed_ += ended.signal == SIGKILL;
    if (!exists("r.mbnn")) return false;
    const Ended summary = run("summary r.mbnn");
    if (summary.code != 0) {
      EXPECT_EQ(summary.code, 2) << summary.err;
      EXPECT_THAT(summary.err,
                  HasSubstr("was interrupted before its data were stored: run the fit again with --force"));
      EXPECT_THAT(run("resume r.mbnn").err, HasSubstr("was interrupted before its data were stored"));
      return false;
    }
    const auto after = stored_draws(path("r.mbnn"));
    EXPECT_TRUE(all_among(before, after)) << "draws were lost";
    EXPECT_TRUE(all_among(after, whole)) << "draws that the undisturbed fit does not have";
    return true;
  }

  int killed_ = 0;
};

TEST_F(Crash, KilledWhileItIsCreated) {
  run_well(tiny("fit r.csv --target y --out whole.mbnn -q"));
  const auto whole = stored_draws(path("whole.mbnn"));
  const std::string line = tiny("fit r.csv --target y --out r.mbnn -q --force");
  for (int delay = 1; delay <= 20; ++delay) {
    const bool there = kill_once(line, delay, whole);
    if (there) {
      run_well("resume r.mbnn -q");
      EXPECT_TRUE(same_draws(stored_draws(path("r.mbnn")), whole));
    }
    std::filesystem::remove(path("r.mbnn"));
  }
  EXPECT_GE(killed_, 5);
  run_well(line);
  EXPECT_TRUE(same_draws(stored_draws(path("r.mbnn")), whole));
}

// With --force the old fit stays until the new one is on disk.
TEST_F(Crash, KilledWhileItReplacesAnother) {
  run_well(tiny("fit r.csv --target y --out whole.mbnn -q"));
  const auto whole = stored_draws(path("whole.mbnn"));
  for (int delay = 1; delay <= 12; ++delay) {
    run_well(tiny("fit r.csv --target y --out r.mbnn -q --force --seed 5"));
    Running program(directory(), words(tiny("fit r.csv --target y --out r.mbnn -q --force")));
    std::this_thread::sleep_for(std::chrono::milliseconds(delay));
    program.send(SIGKILL);
    program.wait();
    const auto draws = stored_draws(path("r.mbnn"));
    const bool old_one = FitFile::open(path("r.mbnn"), FitFile::Mode::read).configuration().at("seed") == 5;
    EXPECT_TRUE(old_one ? draws.size() == 20 : all_among(draws, whole)) << delay;
  }
}

// Caught: chains restored without their velocity or step size. Kills inside a commit are for fit_file_damage_test.
TEST_F(Crash, KilledAtRandomAndResumedUntilDone) {
  Rng rng(20, 0);
  for (const std::string sampler : {"hmc", "sghmc"}) {
    run_well(long_fit("fit r.csv --target y --out whole.mbnn -q --force", sampler));
    const auto whole = stored_draws(path("whole.mbnn"));
    ASSERT_EQ(whole.size(), 800u);
    killed_ = 0;
    for (int round = 0; round < 13 || killed_ < 13; ++round) {
      ASSERT_LT(round, 60) << "too few of them were still running when they were killed";
      const bool begun = exists("r.mbnn") && run("summary r.mbnn").code == 0;
      kill_once(begun ? "resume r.mbnn -q" : long_fit("fit r.csv --target y --out r.mbnn -q --force", sampler),
                20 + static_cast<int>(rng.below(round % 3 == 0 ? 300 : 1100)), whole);
      if (exists("r.mbnn") && run("summary r.mbnn").code == 0 && same_draws(stored_draws(path("r.mbnn")), whole))
        std::filesystem::remove(path("r.mbnn"));  // done before its time: the rest of the kills go to a new one
    }
    if (!exists("r.mbnn") || run("summary r.mbnn").code != 0)
      run_well(long_fit("fit r.csv --target y --out r.mbnn -q --force", sampler));
    else
      run_well("resume r.mbnn -q");
    EXPECT_TRUE(same_draws(stored_draws(path("r.mbnn")), whole)) << sampler;
    std::filesystem::remove(path("r.mbnn"));
  }
}

class FullDisk : public Crash {
 protected:
  static std::function<void()> limit(std::size_t bytes) {
    return [bytes] {
      const rlimit most{bytes, bytes};
      setrlimit(RLIMIT_FSIZE, &most);
    };
  }
};

// Caught: the program without its handling of SIGXFSZ was ended by that signal, without a word.
TEST_F(FullDisk, AFitThatOutgrowsItKeepsWhatItHas) {
  const std::string line = tiny("fit r.csv --target y --threads 1 -q --warmup 300 --draws 600 --thin 10");
  run_well(line + " --out whole.mbnn");
  const auto whole = stored_draws(path("whole.mbnn"));
  const auto size = std::filesystem::file_size(path("whole.mbnn"));
  Ended ended = run(line + " --out r.mbnn", limit(size * 5 / 10));
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("r.mbnn"), HasSubstr("writing failed"), HasSubstr("mbnn resume r.mbnn")));
  auto part = stored_draws(path("r.mbnn"));
  EXPECT_LT(part.size(), whole.size());
  EXPECT_TRUE(all_among(part, whole));
  ended = run("resume r.mbnn -q", limit(size * 7 / 10));
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_TRUE(all_among(part, stored_draws(path("r.mbnn"))));
  run_well("resume r.mbnn -q");
  EXPECT_TRUE(same_draws(stored_draws(path("r.mbnn")), whole));
}

TEST_F(FullDisk, AFitThatCannotBeCreatedLeavesTheOldOne) {
  fit_regression();
  const std::string before = read("r.mbnn");
  write("r.csv", regression_table(10'000));
  for (const std::size_t bytes : {10'000, 150'000}) {  // the first lines of the new fit, and its 200 kB of rows
    const Ended ended = run(tiny("fit r.csv --target y --out r.mbnn --force -q"), limit(bytes));
    EXPECT_EQ(ended.code, 1);
    EXPECT_THAT(ended.err, AllOf(HasSubstr("r.mbnn"), HasSubstr("writing failed")));
    EXPECT_TRUE(read("r.mbnn") == before) << bytes;
    EXPECT_EQ(files(), (std::set<std::string>{"r.csv", "r.mbnn"}));
  }
}

// Caught: a table of test rows became a fit.
TEST_F(FullDisk, WhatIsNoFitIsNotReplaced) {
  write("test.csv", "a,b,c,y\n1,2,red,3\n");
  expect_refused(tiny("fit r.csv --target y --out test.csv --force"), {"test.csv is there and is no fit"});
}

// Caught: the longer plan was stored, and grew with every further try.
TEST_F(FullDisk, AFitThatCannotGoOnKeepsItsPlan) {
  fit_regression();
  {
    FitFile file = FitFile::open(path("r.mbnn"), FitFile::Mode::append);
    auto checkpoint = file.checkpoint(1).value();
    checkpoint[0] = std::byte{99};  // the version
    file.commit(1, file.progress().at(1).iteration + 1, {}, nullptr, checkpoint);
  }
  expect_refused("resume r.mbnn --draws 5", {"another version of mbnn"});
}

TEST_F(FullDisk, PredictionsAppearWholeOrNotAtAll) {
  fit_regression();
  write("new.csv", regression_table(2000, 3));
  write("p.csv", "as it was\n");
  const Ended ended = run("predict r.mbnn new.csv --out p.csv", limit(8'192));
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err, HasSubstr("p.csv could not be written"));
  EXPECT_EQ(read("p.csv"), "as it was\n");
  EXPECT_EQ(files(), (std::set<std::string>{"r.csv", "r.mbnn", "new.csv", "p.csv"}));
  EXPECT_EQ(run("predict r.mbnn new.csv --out /dev/full").code, 1);
}

}  // namespace
}  // namespace mbnn
