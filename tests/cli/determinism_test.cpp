// The same bits whatever the number of threads, and after an interruption that was asked for.
#include "tests/support/program.h"

namespace mbnn {
namespace {

class Determinism : public CommandLine {
 protected:
  bool wait_for_file(const std::string& name) const {
    for (int i = 0; i < 20000 && !exists(name); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return exists(name);
  }

  // Waits until a chain of the running fit has committed, so that a signal meets it at work.
  bool wait_for_commit(const std::string& name, const Running&) const {
    for (int i = 0; i < 2000; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      if (!exists(name)) continue;
      const FitFile file = FitFile::open(path(name), FitFile::Mode::read);
      if (!file.progress().empty() && file.progress()[0].iteration > 0) return true;
    }
    return false;
  }
};

TEST_F(Determinism, ThreadsDoNotChangeADraw) {
  write("r.csv", regression_table());
  write("k.csv", class_table({"low", "mid", "top"}));
  for (const std::string sampler : {"hmc", "nuts", "sgld", "sghmc"})
    for (const std::string table : {"r.csv --target y", "k.csv --target kind"}) {
      std::vector<std::vector<StoredDraw>> by_threads;
      for (int threads : {1, 2, 3}) {
        run_well(
            tiny(fmt::format("fit {} --out t{}.mbnn -q --force --chains 3 --lambda auto --weight-prior "
                             "cauchy:learn --sampler {} --threads {}",
                             table, threads, sampler, threads)));
        by_threads.push_back(stored_draws(path(fmt::format("t{}.mbnn", threads))));
      }
      EXPECT_EQ(by_threads[0].size(), 30u);
      EXPECT_TRUE(same_draws(by_threads[0], by_threads[1])) << sampler << " " << table;
      EXPECT_TRUE(same_draws(by_threads[0], by_threads[2])) << sampler << " " << table;
    }
}

TEST_F(Determinism, TheSeedAndTheChainMakeTheDifference) {
  write("r.csv", regression_table());
  for (int seed : {1, 2}) run_well(tiny(fmt::format("fit r.csv --target y --out s{0}.mbnn -q --seed {0}", seed)));
  const auto one = stored_draws(path("s1.mbnn")), two = stored_draws(path("s2.mbnn"));
  std::set<std::string> states;
  for (const auto& list : {one, two})
    for (const auto& draw : list) states.emplace(reinterpret_cast<const char*>(draw.state.data()), draw.state.size());
  EXPECT_GT(states.size(), 30u);  // of 40; a trajectory that is rejected leaves two draws equal
  EXPECT_NE(one[0].state, one[10].state);
  EXPECT_NE(one[0].state, two[0].state);
}

TEST_F(Determinism, LambdaChosenByValidationDoesNotDependOnThreads) {
  write("r.csv", regression_table());
  for (int threads : {1, 2})
    run_well(tiny(fmt::format("fit r.csv --target y --out v{0}.mbnn -q --lambda validate --threads {0}", threads)));
  EXPECT_TRUE(same_draws(stored_draws(path("v1.mbnn")), stored_draws(path("v2.mbnn"))));
}

TEST_F(Determinism, PredictionsDoNotDependOnThreads) {
  fit_regression();
  write("new.csv", regression_table(900, 4));
  run_well("predict r.mbnn new.csv --out p1.csv -q --threads 1");
  run_well("predict r.mbnn new.csv --out p2.csv -q --threads 2");
  EXPECT_EQ(read("p1.csv"), read("p2.csv"));
  EXPECT_EQ(run("evaluate r.mbnn new.csv --json --threads 1").out,
            run("evaluate r.mbnn new.csv --json --threads 2").out);
}

// Caught: a checkpoint without the velocity (sghmc), one without the step size's adaptation (hmc).
TEST_F(Determinism, AnInterruptedFitResumesToTheSameDraws) {
  write("r.csv", regression_table());
  for (const std::string sampler : {"hmc", "nuts", "sgld", "sghmc"}) {
    const std::string line =
        tiny(fmt::format("fit r.csv --target y --force -q --sampler {} --warmup 500 --draws 400 --thin 10", sampler));
    run_well(line + " --out whole.mbnn");
    const auto whole = stored_draws(path("whole.mbnn"));
    ASSERT_EQ(whole.size(), 800u);
    Running fit(directory(), words(line + " --out r.mbnn"));
    ASSERT_TRUE(wait_for_file("r.mbnn"));
    std::this_thread::sleep_for(std::chrono::milliseconds(120));
    fit.send(SIGINT);
    const Ended ended = fit.wait();
    EXPECT_EQ(ended.code, 1) << sampler;
    EXPECT_THAT(ended.err, AllOf(HasSubstr("interrupted"), HasSubstr("saved"), HasSubstr("mbnn resume r.mbnn")));
    const auto part = stored_draws(path("r.mbnn"));
    EXPECT_LT(part.size(), 800u);
    EXPECT_TRUE(all_among(part, whole)) << sampler;
    run_well("resume r.mbnn -q --threads 1");
    EXPECT_TRUE(same_draws(stored_draws(path("r.mbnn")), whole)) << sampler;
    std::filesystem::remove(path("r.mbnn"));
  }
}

// Caught: a checkpoint without the step size's adaptation. Meant, too, for a stop between two looks at it, after which
// the runner once stored an iteration twice; that window is too narrow to be met at every run.
TEST_F(Determinism, InterruptedAgainAndAgainItStillEndsTheSame) {
  write("r.csv", regression_table());
  const std::string line = tiny("fit r.csv --target y -q --warmup 800 --draws 300 --thin 8 --chains 3");
  run_well(line + " --out whole.mbnn");
  Running fit(directory(), words(line + " --out r.mbnn"));
  ASSERT_TRUE(wait_for_file("r.mbnn"));  // from here on signals are waited for
  fit.send(SIGINT);
  ASSERT_EQ(fit.wait().signal, 0);
  int rounds = 1;
  for (int code = 1; code != 0; ++rounds) {
    ASSERT_LT(rounds, 300);
    Running resume(directory(), words("resume r.mbnn -q"));
    std::this_thread::sleep_for(std::chrono::milliseconds(10 + 3 * rounds));
    resume.send(SIGTERM);
    const Ended ended = resume.wait();
    // Before the signals are waited for, one ends the program as it ends any: nothing was touched by then.
    ASSERT_TRUE(ended.code == 0 || ended.code == 1 || ended.signal == SIGTERM) << ended.code << ended.err;
    code = ended.code;
  }
  EXPECT_GT(rounds, 3);
  EXPECT_TRUE(same_draws(stored_draws(path("r.mbnn")), stored_draws(path("whole.mbnn"))));
}

TEST_F(Determinism, AnInterruptedLambdaSearchWritesNothing) {
  write("r.csv", regression_table());
  Running fit(directory(), words(long_fit("fit r.csv --target y --out r.mbnn --lambda validate", "hmc")));
  for (int wait = 0; fit.err().find("choosing lambda") == std::string::npos; ++wait) {
    ASSERT_LT(wait, 4000);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  fit.send(SIGINT);
  const Ended ended = fit.wait();
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err, HasSubstr("interrupted before the fit was begun; nothing was written"));
  EXPECT_EQ(files(), (std::set<std::string>{"r.csv"}));
}

TEST_F(Determinism, OneWriterAtATimeAndReadersMeanwhile) {
  write("r.csv", regression_table());
  Running fit(directory(), words(long_fit("fit r.csv --target y --out r.mbnn -q --chains 4 --threads 1", "hmc")));
  ASSERT_TRUE(wait_for_commit("r.mbnn", fit));
  EXPECT_EQ(run("summary r.mbnn").code, 0);
  for (const auto& line : {std::string("resume r.mbnn"), tiny("fit r.csv --target y --out r.mbnn --force")}) {
    const Ended second = run(line);
    EXPECT_EQ(second.code, 2);
    EXPECT_THAT(second.err, HasSubstr("r.mbnn is being written by another fit"));
  }
  EXPECT_EQ(fit.wait().code, 0);
  EXPECT_EQ(stored_draws(path("r.mbnn")).size(), 1600u);
}

}  // namespace
}  // namespace mbnn
