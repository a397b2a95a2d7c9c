// The verbs of mbnn-reproduce: each adds its options to the parser and runs when chosen.
#pragma once

#include "apps/common/command.h"

namespace mbnn::app {

// The paper's tables and figures, each a study with a row for every fit.
void add_studies(CLI::App& app, Common& common, Action& action);
void add_likelihood(CLI::App& app, Common& common, Action& action);

}  // namespace mbnn::app
