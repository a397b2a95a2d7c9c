// What fit and resume share: run until done or Ctrl-C, then say what was learnt and what to do next.
#pragma once

#include "apps/mbnn/verbs.h"
#include "mbnn/tables/table_fit.h"

namespace mbnn::app {

// Ctrl-C and SIGTERM request a stop through this token; a second Ctrl-C ends the program at once.
std::stop_token stop_on_signal();

int run_session(FitFile& file, TrainingData data, const Common& common);
// The same for what `run` does with the file.
int run_session(FitFile& file, const Common& common, const std::function<bool(const RunOptions&)>& run);

// What they have in common with fits of images: `run` writes the file and says whether it came to its end. An error
// that a second try may not meet again gains the words how to go on by the verb `resume`.
bool run_resumable(const FitFile& file, const char* resume, const std::function<bool()>& run);
// The exit code; says how to go on if the run was interrupted.
int end_of_run(bool finished, const FitFile& file, const char* resume);

// Notes about a table, unless quiet.
void say(const Common& common, const std::vector<std::string>& notes);

// A fit with at least one draw; InputError that says how to get there if it has none yet.
FittedModel read_with_draws(const FitFile& file);

// Widths, noise and size of a fit, for people.
std::string describe(const FittedModel& fitted);
nlohmann::json description_json(const FittedModel& fitted);

}  // namespace mbnn::app
