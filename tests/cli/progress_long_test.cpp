// What a longer run shows while it goes: a live line for each chain on a terminal.
#include <regex>

#include "tests/support/terminal.h"

namespace mbnn {
namespace {

TEST_F(ProgressDisplay, IsLiveOnATerminal) {
  int code = -1;
  const std::string text = on_terminal(long_fit("fit r.csv --target y --out r.mbnn", "hmc"), 100, code);
  EXPECT_EQ(code, 0);
  for (int chain : {1, 2}) {
    const std::regex expected(
        fmt::format("chain {} +(warm-up|sampling) +[0-9]+%  [0-9]+/14000  left +[0-9:]+  "
                    "widths \\([0-9]+, [0-9]+\\)  accept [01]\\.[0-9]+  training rmse",
                    chain));
    EXPECT_TRUE(std::regex_search(text, expected)) << chain << "\n" << text;
    EXPECT_THAT(text, HasSubstr(fmt::format("chain {}  done", chain)));
  }
  EXPECT_THAT(text,
              AllOf(HasSubstr("time left about"), HasSubstr("\x1b[2A\r")));  // back up over the lines of two chains
}

// Caught: lines of up to 110 columns wrapped on a terminal of 80 and left their pieces all over it.
TEST_F(ProgressDisplay, NeverWrapsALine) {
  int code = -1;
  for (unsigned short columns : {80, 40}) {
    const std::string text =
        on_terminal(tiny("fit r.csv --target y --force --out r.mbnn --hidden 20,20,20,20,20 --warmup 1000 --draws 100"),
                    columns, code);
    EXPECT_EQ(code, 0);
    EXPECT_LT(longest_line(text), columns);
    EXPECT_GT(longest_line(text), 30u);
  }
}

}  // namespace
}  // namespace mbnn
