#include "apps/common/signals.h"

#include <signal.h>
#include <unistd.h>

#include <thread>

namespace mbnn::app {

namespace {

std::stop_source& signal_source() {
  static std::stop_source source;
  return source;
}

}  // namespace

// A thread waits for the signals, which every other thread blocks: no work is done inside a handler.
std::stop_token stop_on_signal() {
  static const bool installed = [] {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    std::thread([set] {
      int signal = 0;
      sigwait(&set, &signal);
      signal_source().request_stop();
      sigwait(&set, &signal);
      _exit(128 + signal);
    }).detach();
    return true;
  }();
  (void)installed;
  return signal_source().get_token();
}

}  // namespace mbnn::app
