// The loop itself: processes take turns on threads until they have come to their ends or are told to stop.
#pragma once

#include <deque>
#include <exception>
#include <memory>
#include <mutex>

#include "mbnn/core/clock.h"
#include "mbnn/run/keeper.h"

namespace mbnn {

// Results depend neither on turns nor, with one thread each, on threads: processes share nothing but constants.
class RunLoop {
 public:
  RunLoop(const Problem& problem, Keeper& keeper, const RunOptions& options);
  // False if stopped early; everything until then has been kept.
  bool go();

 private:
  struct Runner {
    std::unique_ptr<Process> process;
    std::vector<StoredDraw> fresh;  // since the last commit
    std::int64_t done = 0, kept = -1;
    Stopwatch since_kept;
    double step_seconds = 0;  // a mean over the last steps
    std::int64_t timed = 0;
  };

  void work();
  void turn(std::size_t chain);
  void begin(std::size_t chain);
  void step(std::size_t chain);
  bool due(const Runner& runner, bool at_draw, bool turn_ends) const;
  void commit(std::size_t chain);
  void report(std::size_t chain);
  bool finished(std::size_t chain) const { return runners_[chain].done >= length_; }

  const Problem& problem_;
  Keeper& keeper_;
  const RunOptions& options_;
  const Rhythm rhythm_;
  const std::int64_t length_;
  Resources resources_;
  std::size_t workers_ = 1;
  std::vector<Runner> runners_;  // each touched only by the worker that has its turn
  std::mutex mutex_, report_mutex_;
  std::deque<std::size_t> queue_;
  std::exception_ptr failure_;
};

}  // namespace mbnn
