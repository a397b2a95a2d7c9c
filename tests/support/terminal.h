// The program on a terminal of its own.
#pragma once

#include <string>

#include "tests/support/program.h"

namespace mbnn {

class ProgressDisplay : public CommandLine {
 protected:
  void SetUp() override { write("r.csv", regression_table()); }

  // All that the program writes to a terminal of that many columns.
  std::string on_terminal(const std::string& line, unsigned short columns, int& code) const;
};

// Of those that are drawn over others.
std::size_t longest_line(const std::string& text);

}  // namespace mbnn
