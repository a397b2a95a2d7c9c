// Fit files: made, continued, looked at.
#include <pybind11/stl.h>

#include "mbnn/mbnn.h"
#include "python/core/module.h"
#include "python/core/watched_run.h"

namespace py = pybind11;

namespace mbnn::python {

namespace {

// Whether it was begun, so that there is a file, and whether it came to its end.
py::tuple fit(TableProblem& problem, const std::string& path, bool overwrite, std::size_t threads,
              const py::object& report) {
  bool begun = false;
  const auto work = [&](const RunOptions& options) {
    if (!problem.prepare(options)) return false;
    FitFile file = create(problem, path, overwrite);
    begun = true;
    return run(file, problem, options);
  };
  const bool finished = run_watched(work, threads, report);
  return py::make_tuple(begun, finished);
}

bool resume(const std::string& path, std::int64_t draws, std::size_t threads, const py::object& report,
            const std::string& images) {
  const auto work = [&](const RunOptions& given) {
    FitFile file = FitFile::open(path, FitFile::Mode::append);
    const auto problem = open_problem(file, images);
    if (draws > 0) add_draws(file, *problem, draws);
    RunOptions options = given;
    if (options.threads == 0) options.threads = threads_so_far(file);  // sums over batches depend on it
    return run(file, *problem, options);
  };
  return run_watched(work, threads, report);
}

std::string kind(const std::string& path) { return kind_of(FitFile::open(path, FitFile::Mode::read)); }

// As JSON, which Python reads by itself.
std::string summary(const std::string& path) {
  const FitFile file = FitFile::open(path, FitFile::Mode::read);
  const Summary s = summarise(file, *open_problem(file));
  nlohmann::json json = to_json(s);
  json["kind"] = kind_of(file);
  json["configuration"] = file.configuration();
  json["encoding"] = file.encoding();
  json["notes"] = s.notes;
  json["learnt"] = nlohmann::json::object();
  for (const auto& [label, text] : s.description.learnt) json["learnt"][label] = text;
  return json.dump();
}

std::string diagnosis(const std::string& path) {
  const FitFile file = FitFile::open(path, FitFile::Mode::read);
  return to_json(diagnose(file, *open_problem(file))).dump();
}

using Traces = std::vector<std::pair<std::string, std::vector<std::vector<double>>>>;

// The numbers that were kept of each draw, by name, then chain; in the units of the data.
Traces traces(const std::string& path) {
  const FitFile file = FitFile::open(path, FitFile::Mode::read);
  Traces result;
  for (Quantity& trace : open_problem(file)->evidence(file).traces)
    result.emplace_back(std::move(trace.name), std::move(trace.chains));
  return result;
}

// With the lock of the interpreter given back meanwhile.
template <class Result, class... Arguments>
auto unlocked(Result (*function)(Arguments...)) {
  return [function](Arguments... arguments) {
    const py::gil_scoped_release others;
    return function(std::forward<Arguments>(arguments)...);
  };
}

}  // namespace

void bind_fits(py::module_& module) {
  module.def("fit", fit);
  module.def("resume", resume);
  module.def("kind", unlocked(kind));
  module.def("summary", unlocked(summary));
  module.def("diagnosis", unlocked(diagnosis));
  module.def("traces", unlocked(traces));
}

}  // namespace mbnn::python
