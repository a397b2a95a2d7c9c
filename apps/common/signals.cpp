#include "apps/common/signals.h"

#include <signal.h>
#include <unistd.h>

#include <thread>

#include "mbnn/store/temporary_file.h"

namespace mbnn::app {

namespace {

std::stop_source& signal_source() {
  static std::stop_source source;
  return source;
}

// What is called here may be called in a handler.
void end_by(int signal) {
  remove_temporary_files();
  ::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace

void remove_files_on_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU}) {
    struct sigaction action {};
    // One that is ignored, as by nohup, stays so.
    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action.sa_handler = end_by;
    sigaction(signal, &action, nullptr);
  }
}

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
      remove_temporary_files();
      _exit(128 + signal);
    }).detach();
    return true;
  }();
  (void)installed;
  return signal_source().get_token();
}

}  // namespace mbnn::app
