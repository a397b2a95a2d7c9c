// What both main functions do around their verbs.
#pragma once

namespace mbnn::app {

// Runs what the words ask for; every error becomes a line on stderr and an exit code.
int run_program(int argc, char** argv, int (*run)(int, char**));

}  // namespace mbnn::app
