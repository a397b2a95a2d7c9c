// The verbs of the command line: each adds its options to the parser and runs when chosen.
#pragma once

#include <vector>

#include "apps/common/command.h"

namespace mbnn::app {

void add_fit(CLI::App& app, Common& common, Action& action);
void add_resume(CLI::App& app, Common& common, Action& action);
void add_predict(CLI::App& app, Common& common, Action& action);
void add_evaluate(CLI::App& app, Common& common, Action& action);
void add_cv(CLI::App& app, Common& common, Action& action);
void add_diagnose(CLI::App& app, Common& common, Action& action);
void add_summary(CLI::App& app, Common& common, Action& action);
void add_explain(CLI::App& app, Common& common, Action& action);
void add_image(CLI::App& app, Common& common, Action& action);
void add_series(CLI::App& app, Common& common, Action& action);
void add_reproduce(CLI::App& app, Action& action);

// Chooses the verb and runs it.
int run_mbnn(int argc, char** argv);

// Turns into mbnn-reproduce, which gets these words; returns only by an exception.
int reproduce(std::vector<char*> words);

}  // namespace mbnn::app
