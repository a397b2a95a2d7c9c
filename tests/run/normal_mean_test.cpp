// What any kind of problem gets for nothing: a run, its continuation to the same bits, more draws, diagnosis, summary.
#include "tests/run/normal_mean.h"

#include <gtest/gtest.h>

#include <thread>

#include "mbnn/core/error.h"
#include "tests/support/fit_files.h"

namespace mbnn {
namespace {

const std::vector<double> kData{1.5, 2.5, 0.5, 3.5, 2.0, 2.0};  // their mean is 2

class NormalMean : public testing::Test {
 protected:
  TemporaryDirectory directory_;
};

// 3 chains of 4,000 steps, worth about 200 independent draws each by the step's size: the posterior is N(2, 1/6), so
// its mean has an error of sqrt(1/6/600) = 0.017, of which 0.08 are more than four; the variance one of 10%.
TEST_F(NormalMean, IsSampled) {
  MeanProblem problem(kData, 4000);
  const FitFile file = fit(problem, directory_ / "m.mbnn");
  double sum = 0, squares = 0;
  file.for_each_draw([&](StoredDraw draw) {
    sum += draw.scalars[0];
    squares += draw.scalars[0] * draw.scalars[0];
  });
  EXPECT_NEAR(sum / 12000, 2, 0.08);
  EXPECT_NEAR(squares / 12000 - sum * sum / 144e6, 1.0 / 6, 0.06);
  EXPECT_EQ(file.configuration().at("kind"), "mean");
}

TEST_F(NormalMean, GoesOnToTheSameBits) {
  MeanProblem problem(kData, 3000);
  const FitFile whole = fit(problem, directory_ / "whole.mbnn", {.threads = 1});
  FitFile parts = create(problem, directory_ / "parts.mbnn", false);
  for (int i = 0; i < 1000 && !finished(parts, problem); ++i) {
    std::stop_source source;
    int reports = 0;
    const auto report = [&](const Status&) {
      if (++reports == 40) source.request_stop();
    };
    run(parts, MeanProblem::open(parts),
        {.threads = 3, .report = report, .stop = source.get_token(), .report_seconds = 0});
  }
  ASSERT_TRUE(finished(parts, problem));
  for (int chain = 0; chain < 3; ++chain) EXPECT_EQ(parts.draws(chain), whole.draws(chain));
}

TEST_F(NormalMean, TakesFurtherDraws) {
  MeanProblem problem(kData, 100), longer(kData, 250);
  FitFile file = fit(problem, directory_ / "m.mbnn");
  EXPECT_THROW(add_draws(file, problem, 0), InputError);
  add_draws(file, problem, 150);
  EXPECT_FALSE(finished(file, problem));
  EXPECT_TRUE(run(file, MeanProblem::open(file)));
  const FitFile whole = fit(longer, directory_ / "whole.mbnn");
  for (int chain = 0; chain < 3; ++chain) EXPECT_EQ(file.draws(chain), whole.draws(chain));
}

// Seen to fail with the traces of all chains in one, whose R-hat sees no difference between chains.
TEST_F(NormalMean, IsDiagnosedAndSummarised) {
  MeanProblem problem(kData, 1000);
  FitFile file = create(problem, directory_ / "m.mbnn", false);
  EXPECT_THROW(diagnose(file, problem), InputError);  // no draws yet
  run(file, problem);
  const Diagnosis d = diagnose(file, problem);
  EXPECT_EQ(d.chains, 3u);
  EXPECT_EQ(d.draws, 3000u);
  ASSERT_EQ(d.traces.size(), 1u);
  EXPECT_LT(d.traces[0].value.rhat, 1.05);  // 50 effective draws a chain at the least
  EXPECT_TRUE(d.trustworthy());
  EXPECT_EQ(d.statistics.size(), 3u);
  const Summary s = summarise(file, problem);
  EXPECT_TRUE(s.finished);
  EXPECT_EQ(s.draws, 3000);
  EXPECT_EQ(s.length, 1200);
  EXPECT_EQ(s.description.about.at(0).text, "the mean of 6 numbers");
}

// The first exception stops all chains and is the one that is seen; what was stored stays.
TEST_F(NormalMean, AFailingChainStopsAll) {
  struct Failing : MeanProblem {
    using MeanProblem::MeanProblem;
    std::unique_ptr<Process> process(std::size_t chain, const Resources& resources) const override {
      if (chain == 1) throw SamplerError("chain 2 cannot start");
      return MeanProblem::process(chain, resources);
    }
  };
  const Failing problem(kData, 1'000'000'000);
  FitFile file = create(problem, directory_ / "m.mbnn", false);
  try {
    run(file, problem, {.threads = 2});
    FAIL() << "it went on";
  } catch (const SamplerError& error) {
    EXPECT_NE(std::string(error.what()).find("chain 2 cannot start"), std::string::npos);
  }
  for (const ChainProgress& progress : file.progress()) EXPECT_NE(progress.chain, 1);
}

}  // namespace
}  // namespace mbnn
