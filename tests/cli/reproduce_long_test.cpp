// mbnn reproduce, interrupted inside a fit.
#include "tests/support/studies.h"

namespace mbnn {
namespace {

// Seen to fail when the fit was begun anew, which gives the same row and loses the mark.
TEST_F(Reproduce, AnInterruptedFitContinuesToTheSameRow) {
  const std::string options =
      " --data-dir data --sets boston --splits 1 --methods mbnn --threads 2 -q -- --hidden 20,20 --start-width 6 "
      "--start-steps 50 --warmup 2000 --draws 400 --thin 15 --chains 2 --leapfrog-steps 20 --mask-moves 5 "
      "--refit-moves 0";
  run_well("reproduce uci --out whole" + options);
  {
    Running study(directory(), words("reproduce uci --out parts" + options));
    while (!exists("parts/fits/boston-mbnn-1.mbnn")) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    study.send(SIGTERM);
    const Ended ended = study.wait();
    EXPECT_EQ(ended.code, 1);
    EXPECT_THAT(ended.err, HasSubstr("the same command continues"));
  }
  EXPECT_EQ(rows("parts/rows.csv").size(), 1u) << "the study was over before the signal came";
  EXPECT_TRUE(exists("parts/fits/boston-mbnn-1.mbnn.cost"));
  const std::string fit = path("parts/fits/boston-mbnn-1.mbnn");
  FitFile::open(fit, FitFile::Mode::append).note("mark");
  run_well("reproduce uci --out parts" + options);
  EXPECT_EQ(rows("parts/rows.csv"), rows("whole/rows.csv"));
  EXPECT_THAT(FitFile::open(fit, FitFile::Mode::read).notes(), ::testing::Contains("mark"));
  EXPECT_TRUE(same_draws(stored_draws(fit), stored_draws(path("whole/fits/boston-mbnn-1.mbnn"))));
  EXPECT_FALSE(exists("parts/fits/boston-mbnn-1.mbnn.cost"));
}

}  // namespace
}  // namespace mbnn
