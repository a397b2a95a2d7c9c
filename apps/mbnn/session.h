// What fit and resume share: run until done or Ctrl-C, then say what was learnt and what to do next.
#pragma once

#include "apps/mbnn/verbs.h"
#include "mbnn/fit/run.h"

namespace mbnn::app {

// Ctrl-C and SIGTERM request a stop through this token; a second Ctrl-C ends the program at once.
std::stop_token stop_on_signal();

int run_session(FitFile& file, TrainingData data, const Common& common);

// A fit with at least one draw; InputError that says how to get there if it has none yet.
FittedModel read_with_draws(const FitFile& file);

// Widths, noise and size of a fit, for people.
std::string describe(const FittedModel& fitted);
nlohmann::json description_json(const FittedModel& fitted);

}  // namespace mbnn::app
