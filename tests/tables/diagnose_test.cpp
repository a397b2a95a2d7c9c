// The verdict on fits whose faults are known: chains that disagree, one that drifts, one whose noise is off.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>

#include "mbnn/run/inspect.h"
#include "mbnn/run/run.h"
#include "mbnn/tables/state_bytes.h"
#include "mbnn/tables/table_problem.h"

namespace mbnn {
namespace {

struct Made {
  double function, noise_variance;
};

// A fit whose draws are made by hand: each network is a constant function.
class Diagnose : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Diagnosis diagnosis(std::size_t chains, int draws, const std::function<Made(std::size_t, int, Rng&)>& make,
                      bool classes = false) {
    Table table;
    table.path = "made.csv";
    table.rows = 30;
    table.columns = {{"x", ColumnKind::numeric, {}, {}, {}}, {"y", ColumnKind::numeric, {}, {}, {}}};
    for (std::size_t i = 0; i < table.rows; ++i) {
      table.columns[0].numbers.push_back(static_cast<double>(i));
      table.columns[1].numbers.push_back(classes ? static_cast<double>(i % 2) : std::sin(static_cast<double>(i)));
    }
    Configuration c;
    c.encoding.target = "y";
    c.encoding.scale_target = false;
    c.hidden = {5};
    c.chains = chains;
    c.chain.draws = draws;
    c.chain.warmup = 0;
    c.chain.thin = 1;
    std::vector<std::string> notes;
    const Encoding encoding = Encoding::learn(table, c.encoding, notes);
    const Dataset data = encoding.encode(table, Encoding::Needs::inputs_and_target, notes);
    const TableProblem problem(c, encoding, data, notes);
    FitFile file = create(problem, (folder_ / "made.mbnn").string(), true);
    Rng rng(1);
    for (std::size_t chain = 0; chain < chains; ++chain) {
      std::vector<StoredDraw> stored;
      for (int i = 0; i < draws; ++i) {
        const Made made = make(chain, i, rng);
        State state;
        state.gates.active = {{0}};
        state.weights = {0, 0, 0, static_cast<float>(made.function)};  // edge, bias, edge, bias
        state.noise_variance = made.noise_variance;
        ByteWriter out;
        write_state(state, out);
        stored.push_back(
            {static_cast<int>(chain), i + 1, out.take(), {0, 0, std::sqrt(made.noise_variance), 1, 0.1, 1}});
      }
      const nlohmann::json none = to_json(PhaseStatistics());
      file.commit(static_cast<int>(chain), draws, stored, {{"warmup", none}, {"sampling", none}}, {});
    }
    return diagnose(file, problem);
  }

  static bool says(const Diagnosis& d, const std::string& words, Finding::Level level) {
    for (const Finding& f : d.findings)
      if (f.level == level && f.what.find(words) != std::string::npos) return true;
    return false;
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() /
      ("mbnn_diagnose_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
};

TEST_F(Diagnose, TrustsChainsThatAgree) {
  const Diagnosis d = diagnosis(4, 100, [](std::size_t, int, Rng& rng) { return Made{0.1 * rng.normal(), 0.04}; });
  EXPECT_TRUE(d.trustworthy());
  EXPECT_TRUE(d.findings.empty()) << d.findings.front().what;
  EXPECT_LT(d.disagreement, 0.2);
  EXPECT_LT(d.predictions.front().value.rhat, 1.05);
}

// Caught when broken: the noise of the displaced chain averaged into the yardstick, which then hid it.
TEST_F(Diagnose, OneDisplacedChainOfFourIsSerious) {
  const Diagnosis d = diagnosis(4, 100, [](std::size_t chain, int, Rng& rng) {
    return Made{0.1 * rng.normal() + (chain == 2 ? 2.0 : 0.0), chain == 2 ? 4.0 : 0.04};
  });
  EXPECT_FALSE(d.trustworthy());
  EXPECT_TRUE(says(d, "mean predictions differ", Finding::Level::serious));
  EXPECT_TRUE(says(d, "the noise of one chain is 10.0 times", Finding::Level::serious));
}

// Caught when broken: a single chain, whose disagreement is not a number, passed every comparison.
TEST_F(Diagnose, AChainThatIsStillOnItsWayIsSerious) {
  const Diagnosis d = diagnosis(1, 200, [](std::size_t, int i, Rng& rng) {
    return Made{0.02 * i + 0.1 * rng.normal(), 0.04};
  });
  EXPECT_FALSE(d.trustworthy());
  EXPECT_TRUE(says(d, "R-hat of predictions", Finding::Level::serious));
  EXPECT_TRUE(says(d, "only one chain", Finding::Level::warning));
}

TEST_F(Diagnose, TooFewDrawsAreSerious) {
  const Diagnosis d = diagnosis(4, 5, [](std::size_t, int, Rng& rng) { return Made{0.1 * rng.normal(), 0.04}; });
  EXPECT_FALSE(d.trustworthy());
  EXPECT_TRUE(says(d, "20 draws are too few", Finding::Level::serious));
}

// Modes that differ in the function by much less than the noise are no harm: a warning at most.
TEST_F(Diagnose, ChainsThatDifferWithinTheNoiseAreUsable) {
  const Diagnosis d = diagnosis(4, 100, [](std::size_t chain, int, Rng& rng) {
    return Made{0.01 * rng.normal() + 0.02 * static_cast<double>(chain), 0.09};
  });
  EXPECT_GT(d.predictions.front().value.rhat, 1.5);
  EXPECT_TRUE(d.trustworthy());
}

// Two chains sure of 0.1 and of 0.9. Between them lies a variance of 0.32, a label has 0.09 given its probability.
// Caught: the label's whole variance, in which that between the chains already is.
TEST_F(Diagnose, ClassesAreJudgedByTheVarianceOfALabel) {
  const double logit = std::log(9.0);
  const Diagnosis d = diagnosis(
      2, 50,
      [&](std::size_t chain, int, Rng&) {
        return Made{chain == 0 ? logit : -logit, 1};
      },
      true);
  EXPECT_NEAR(d.disagreement, std::sqrt(0.32 / 0.41), 1e-4);
}

}  // namespace
}  // namespace mbnn
