#include "python/core/watched_run.h"

#include <pybind11/stl.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace py = pybind11;

namespace mbnn::python {

namespace {

constexpr auto kLook = std::chrono::milliseconds(50);  // from one look for signals to the next

py::dict dict_of(const Status& status) {
  static const char* const phases[] = {"waiting", "starting", "warm-up", "sampling", "training", "finished"};
  py::dict figures;
  for (const Figure& figure : status.figures) figures[py::str(figure.name)] = figure.value;
  py::dict d;
  d["chain"] = status.chain;
  d["phase"] = phases[static_cast<int>(status.phase)];
  d["done"] = status.done;
  d["length"] = status.length;
  d["place"] = status.place;
  d["widths"] = status.widths;
  d["figures"] = figures;
  d["seconds_left"] = status.seconds_left;
  return d;
}

// What the working thread leaves for the one that watches.
class Desk {
 public:
  void put(const Status& status) {
    const std::lock_guard guard(mutex_);
    latest_[status.chain] = status;
  }
  void end() {
    const std::lock_guard guard(mutex_);
    ended_ = true;
    changed_.notify_all();
  }
  // Waits for the end, not for long; without the interpreter's lock.
  bool wait(std::map<std::size_t, Status>& latest) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kLook, [this] { return ended_; });
    latest = std::exchange(latest_, {});
    return ended_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::size_t, Status> latest_;  // by chain
  bool ended_ = false;
};

void watch(Desk& desk, const py::object& report) {
  for (bool ended = false; !ended;) {
    std::map<std::size_t, Status> latest;
    {
      const py::gil_scoped_release others;
      ended = desk.wait(latest);
    }
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (report.is_none()) continue;
    for (const auto& [chain, status] : latest) report(dict_of(status));
  }
}

}  // namespace

bool run_watched(const std::function<bool(const RunOptions&)>& work, std::size_t threads, const py::object& report) {
  Desk desk;
  std::stop_source stop;
  RunOptions options{.threads = threads, .stop = stop.get_token()};
  if (!report.is_none()) options.report = [&](const Status& status) { desk.put(status); };
  bool finished = false;
  std::exception_ptr failure;
  std::thread worker([&] {
    try {
      finished = work(options);
    } catch (...) {
      failure = std::current_exception();
    }
    desk.end();
  });
  std::exception_ptr raised;
  try {
    watch(desk, report);
  } catch (const py::error_already_set& error) {
    stop.request_stop();
    if (!error.matches(PyExc_KeyboardInterrupt)) raised = std::current_exception();
  } catch (...) {
    stop.request_stop();
    raised = std::current_exception();
  }
  {
    const py::gil_scoped_release others;
    worker.join();
  }
  if (failure) std::rethrow_exception(failure);
  if (raised) std::rethrow_exception(raised);
  return finished;
}

}  // namespace mbnn::python
