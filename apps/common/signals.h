// What signals do: files that are not complete go, and a fit stops where it can go on.
#pragma once

#include <stop_token>

namespace mbnn::app {

// Signals that end the program take files with them that are not complete. Call it first of all.
void remove_files_on_signals();

// Ctrl-C and SIGTERM request a stop through this token; a second Ctrl-C ends the program at once.
std::stop_token stop_on_signal();

}  // namespace mbnn::app
