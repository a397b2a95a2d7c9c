// What a run shows while it goes: live lines on a terminal, plain ones every few seconds elsewhere.
#include <pty.h>

#include <regex>

#include "tests/support/images.h"
#include "tests/support/program.h"

namespace mbnn {
namespace {

class ProgressDisplay : public CommandLine {
 protected:
  void SetUp() override { write("r.csv", regression_table()); }

  // All that the program writes to a terminal of that many columns.
  std::string on_terminal(const std::string& line, unsigned short columns, int& code) const {
    const auto arguments = words(line);
    std::vector<char*> argv{const_cast<char*>("mbnn")};
    for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    winsize size{};
    size.ws_row = 24;
    size.ws_col = columns;
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
    if (child == 0) {
      if (chdir(directory().c_str()) != 0) _exit(99);
      execv(MBNN_PROGRAM, argv.data());
      _exit(98);
    }
    std::string text;
    char buffer[4096];
    for (ssize_t n; (n = ::read(terminal, buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(n));
    close(terminal);
    int status = 0;
    waitpid(child, &status, 0);
    code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return text;
  }
};

// Of those that are drawn over others.
std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  const std::string clear = "\x1b[2K";
  for (auto at = text.find(clear); at != text.npos; at = text.find(clear, at + 1)) {
    const auto end = text.find_first_of("\r\n\x1b", at + clear.size());
    longest = std::max(longest, end - at - clear.size());
  }
  return longest;
}

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

TEST_F(ProgressDisplay, OfImagesNeverWrapsALine) {
  write_stripes(path("stripes"));
  int code = -1;
  const std::string text = on_terminal(
      "image fit --data stripes --network resnet18 --base-width 8 --batch 20 --burn-in 1 --draws 2 --thin 1 --out "
      "s.mbnn",
      80, code);
  EXPECT_EQ(code, 0);
  EXPECT_TRUE(std::regex_search(
      text, std::regex("chain 1  sampling +[0-9]+%  epoch [0-9]/3  left +[0-9:]+  widths \\([0-9]+(, [0-9]+){3}\\)")))
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
