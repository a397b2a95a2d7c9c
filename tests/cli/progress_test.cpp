// What a run shows while it goes: live lines on a terminal, plain ones every few seconds elsewhere.
#include <regex>

#include "tests/support/images.h"
#include "tests/support/terminal.h"

namespace mbnn {
namespace {

TEST_F(ProgressDisplay, OfImagesNeverWrapsALine) {
  write_stripes(path("stripes"));
  int code = -1;
  const std::string text = on_terminal(
      "image fit --data stripes --network resnet18 --base-width 8 --batch 20 --burn-in 1 --draws 14 --thin 1 --out "
      "s.mbnn",
      80, code);
  EXPECT_EQ(code, 0);
  EXPECT_TRUE(std::regex_search(
      text, std::regex("chain 1  sampling +[0-9]+%  epoch [0-9]+/15  left +[0-9:]+  widths \\([0-9]+(, [0-9]+){3}\\)")))
      << text;
  EXPECT_LT(longest_line(text), 80u);
}

TEST_F(ProgressDisplay, IsAbsentWhenQuiet) {
  int code = -1;
  EXPECT_EQ(on_terminal(tiny("fit r.csv --target y --out r.mbnn -q --warmup 1500"), 80, code), "");
  EXPECT_EQ(code, 0);
}

// Takes the five seconds after which plain lines come, and ends by SIGTERM as a batch system would.
TEST_F(ProgressDisplay, IsPlainLinesElsewhere) {
  Running fit(directory(), words(tiny("fit r.csv --target y --out r.mbnn --draws 100000000")));
  for (int i = 0; i < 300 && fit.err().find("time left about") == std::string::npos; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  fit.send(SIGTERM);
  const Ended ended = fit.wait();
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("chain 1  sampling"), HasSubstr("widths ("), HasSubstr("accept "),
                               HasSubstr("time left about"), HasSubstr("mbnn resume r.mbnn")));
  EXPECT_THAT(ended.err, Not(HasSubstr("\x1b")));
  EXPECT_THAT(ended.err, Not(HasSubstr("\r")));
  EXPECT_EQ(run("summary r.mbnn").code, 0);
}

}  // namespace
}  // namespace mbnn
