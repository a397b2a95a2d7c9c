// The shortest of many short runs: what the code costs when nothing else disturbs it.
#pragma once

#include <time.h>

#include <algorithm>
#include <limits>

namespace mbnn::bench {

enum class Clock { wall, cpu };

// The processor time of this thread counts only while it runs, so a busy machine disturbs it less than the time of day.
inline double now(Clock clock) {
  timespec t{};
  clock_gettime(clock == Clock::wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Processor seconds of one call, the least seen. Things to compare each have one of these and are sampled in turn, so
// that a busy spell of the machine meets all of them.
class Fastest {
 public:
  // Calls f for about `seconds`, but at least once. Short calls are timed several together: the clock takes time too.
  template <class F>
  void sample(F f, double seconds = 0.02) {
    const double begin = now(Clock::cpu);
    double t = begin;
    int together = 1;
    do {
      for (int i = 0; i < together; ++i) f();
      const double after = now(Clock::cpu);
      if (after - t < 1e-4) {
        together *= 2;
      } else {
        least_ = std::min(least_, (after - t) / together);
      }
      t = after;
    } while (t - begin < seconds || least_ == std::numeric_limits<double>::infinity());
  }
  double seconds() const { return least_; }

 private:
  double least_ = std::numeric_limits<double>::infinity();
};

}  // namespace mbnn::bench
