// mbnn reproduce on small tables made here.
#pragma once

#include <map>
#include <string>

#include "tests/support/program.h"

namespace mbnn {

class Reproduce : public CommandLine {
 protected:
  // Fits of a few hundredths of a second.
  static constexpr const char* kTiny =
      " -- --hidden 20,20 --start-width 6 --start-steps 50 --warmup 20 --draws 10 --thin 2 --chains 2 --leapfrog-steps "
      "10 "
      "--mask-moves 5";

  void SetUp() override;

  // The rows by set, method and split, without the columns of time, which no two runs share.
  std::map<std::string, std::string> rows(const std::string& file) const;
};

}  // namespace mbnn
