// Training of a baseline that is stopped, and continued to the same bits.
#include "tests/support/program.h"

namespace mbnn {
namespace {

class Baselines : public CommandLine {};

// Stopped by a signal and by a kill; what resume makes of either has the bits of a fit that was left alone.
TEST_F(Baselines, InterruptedTrainingContinuesToTheSameBits) {
  write("r.csv", regression_table(400));
  const std::string options = " --target y --method ns-vi --hidden 40,40 --epochs 600 --batch 50 --draws 5 --chains 2 ";
  run_well("fit r.csv --out whole.mbnn -q" + options);
  for (const int signal : {SIGTERM, SIGKILL}) {
    std::filesystem::remove(path("cut.mbnn"));
    Running fit(directory(), words("fit r.csv --out cut.mbnn" + options));
    const auto stored = [&] {
      return exists("cut.mbnn") && FitFile::open(path("cut.mbnn"), FitFile::Mode::read).has_blob("data/header");
    };
    while (!stored()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    fit.send(signal);
    const Ended ended = fit.wait();
    EXPECT_NE(ended.code, 0) << "it ended before the signal came";
    if (signal == SIGTERM) {
      EXPECT_EQ(ended.code, 1);
      EXPECT_THAT(ended.err, HasSubstr("mbnn resume cut.mbnn"));
      EXPECT_THAT(run("summary cut.mbnn").out, HasSubstr("unfinished: mbnn resume cut.mbnn"));
      EXPECT_THAT(run("predict cut.mbnn r.csv --out p.csv").err, HasSubstr("mbnn resume cut.mbnn"));
    }
    run_well("resume cut.mbnn -q");
    EXPECT_TRUE(same_draws(stored_draws(path("cut.mbnn")), stored_draws(path("whole.mbnn"))));
  }
}

}  // namespace
}  // namespace mbnn
