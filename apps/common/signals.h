// Ctrl-C and SIGTERM as a request to stop.
#pragma once

#include <stop_token>

namespace mbnn::app {

// Ctrl-C and SIGTERM request a stop through this token; a second Ctrl-C ends the program at once.
std::stop_token stop_on_signal();

}  // namespace mbnn::app
