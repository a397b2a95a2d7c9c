// Data and options of one kind of fit. Tables, series and images are the three; a fourth is these functions.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <vector>

#include "mbnn/judge/report.h"
#include "mbnn/run/process.h"
#include "mbnn/store/fit_file.h"

namespace mbnn {

// How the processes of a fit share the machine, and how often they are stored.
struct Rhythm {
  bool side_by_side = true;       // each with its share of the threads; else one after another, each with all
  double checkpoint_seconds = 0;  // from one checkpoint to the next; 0: at every turn of a process, or every step
  bool store_each_draw = false;   // at once; else with the next checkpoint
};

struct Resources {
  std::size_t threads = 1;  // of one process
  std::stop_token stop;     // for steps that take long
};

struct RunOptions {
  std::size_t threads = 0;                           // 0: as many as the machine has
  std::function<void(const Status&)> report = {};    // from worker threads, one call at a time
  std::function<void(const std::string&)> say = {};  // lines about what is done before the first process starts
  std::stop_token stop = {};
  bool overwrite = false;          // fit() may replace a fit that is there
  double checkpoint_seconds = -1;  // in place of the problem's own; -1: that
  double report_seconds = 0.2;     // between reports of a process; 0: after each step
};

// What a fit has learnt, for people and for machines.
struct Description {
  struct Line {
    std::string label, text;
  };
  std::vector<Line> about, learnt;
  nlohmann::json json = nlohmann::json::object();
};

class Problem {
 public:
  virtual ~Problem() = default;

  virtual std::string kind() const = 0;  // stands in every fit file
  // What a fit file stores: open_problem() makes the problem again from it.
  virtual nlohmann::json configuration() const = 0;
  virtual nlohmann::json encoding() const = 0;
  virtual std::vector<std::string> notes() const { return {}; }
  virtual void store(FitFile&) const = 0;               // data that a later run needs
  virtual std::vector<std::string> traces() const = 0;  // names of the numbers stored with each draw

  virtual std::size_t chains() const = 0;
  virtual std::int64_t length() const = 0;           // of a process, in steps
  virtual std::int64_t draws() const = 0;            // of a process
  virtual std::string step_name() const = 0;         // "iterations"
  virtual void add_draws(std::int64_t further) = 0;  // InputError for what cannot have more
  virtual Rhythm rhythm() const { return {}; }
  // Whatever has to be found out before a fit is begun, such as a prior chosen on held-out rows. False if stopped.
  virtual bool prepare(const RunOptions&) { return true; }
  // The problem must outlive it.
  virtual std::unique_ptr<Process> process(std::size_t chain, const Resources& resources) const = 0;

  // What a diagnosis judges, and what this kind has to add to it. Only with draws in the file.
  virtual Evidence evidence(const FitFile& file) const = 0;
  virtual void judge(const FitFile&, Diagnosis&) const {}
  virtual Description describe(const FitFile& file) const = 0;
};

}  // namespace mbnn
