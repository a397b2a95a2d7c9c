// The same bits whatever the number of threads.
#include "tests/support/program.h"

namespace mbnn {
namespace {

class Determinism : public CommandLine {};

TEST_F(Determinism, ThreadsDoNotChangeADraw) {
  write("r.csv", regression_table());
  write("k.csv", class_table({"low", "mid", "top"}));
  for (const std::string sampler : {"hmc", "nuts", "sgld", "sghmc", "hmc --rungs 3"})
    for (const std::string table : {"r.csv --target y", "k.csv --target kind"}) {
      std::vector<std::vector<StoredDraw>> by_threads;
      for (int threads : {1, 2, 9}) {
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

}  // namespace
}  // namespace mbnn
