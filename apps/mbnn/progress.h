// Progress of a run: a live line for each chain on a terminal, plain lines every few seconds in a pipe.
#pragma once

#include <string>
#include <vector>

#include "mbnn/core/clock.h"
#include "mbnn/run/process.h"

namespace mbnn::app {

class Progress {
 public:
  // So many chains of that many steps, of which some run at the same time. `task` stands before the time left.
  Progress(std::size_t chains, std::size_t at_once, std::int64_t length, bool quiet, std::string task = "");
  ~Progress();
  void show(const Status& status);
  void finish();

 private:
  std::string line(const Status& status) const;
  double seconds_left() const;
  void redraw();

  std::vector<Status> chains_;
  std::size_t at_once_;
  std::string task_;
  bool quiet_, terminal_, drawn_ = false;
  Stopwatch since_shown_;
};

// That a line may fill on the terminal: one that wraps would break the way back up to the first one.
std::size_t screen_columns();

// "1:05" or "2:03:00"
std::string clock_time(double seconds);

}  // namespace mbnn::app
