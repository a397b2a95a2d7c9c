// How long something took.
#pragma once

#include <chrono>

namespace mbnn {

// Runs from its construction on. Its clock never jumps.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  void restart() { start_ = Clock::now(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace mbnn
