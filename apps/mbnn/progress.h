// Progress of a run: a live line for each chain on a terminal, plain lines every few seconds in a pipe.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "mbnn/tables/runner.h"

namespace mbnn::app {

class Progress {
 public:
  // error_unit turns the chains' training error into units of the target; its name is shown beside it.
  Progress(std::size_t chains, std::size_t threads, double error_unit, std::string error_name, bool quiet);
  ~Progress();
  void show(const ChainReport& report);
  void finish();

 private:
  std::string line(const ChainReport& report) const;
  double seconds_left() const;
  void redraw();

  std::vector<ChainReport> reports_;
  std::size_t threads_;
  double error_unit_;
  std::string error_name_;
  bool quiet_, terminal_, drawn_ = false;
  std::chrono::steady_clock::time_point last_;
};

// That a line may fill on the terminal: one that wraps would break the way back up to the first one.
std::size_t screen_columns();

// "1:05" or "2:03:00"
std::string clock_time(double seconds);

}  // namespace mbnn::app
