// What all fits share: run until done or Ctrl-C, then say what was learnt and what to do next.
#pragma once

#include <string>
#include <vector>

#include "apps/common/signals.h"
#include "apps/mbnn/verbs.h"
#include "mbnn/run/run.h"

namespace mbnn::app {

struct SessionOptions {
  std::size_t threads = 0;
  double checkpoint_seconds = -1;  // in place of the problem's own
};

// From a problem to a fit. `opening` is said before the first process starts.
int begin_session(Problem& problem, const FitArguments& arguments, const std::string& opening, const Common& common);
// Runs a fit from where it is to its end.
int run_session(FitFile& file, const Problem& problem, const SessionOptions& options, const Common& common);

// InputError if the fit stands where the table belongs.
void refuse_swapped(const std::string& fit, const std::string& data);

// Before any work: refuses what can be told of --out without writing it. `input` is what must not be overwritten.
void check_out(const std::string& out, const std::string& input, bool force);

// Notes about a table, unless quiet.
void say(const Common& common, const std::vector<std::string>& notes);

// The problem of a fit, wherever its images are now.
std::unique_ptr<Problem> problem_of(const FitFile& file, const std::string& images = "");

// InputError that says how to get a draw, if there is none yet; a note if the fit is unfinished.
void require_draws(const FitFile& file, const Problem& problem, std::vector<std::string>& notes);

// A summary as lines of labels and texts.
std::string lines_of(const std::vector<Description::Line>& lines);

}  // namespace mbnn::app
