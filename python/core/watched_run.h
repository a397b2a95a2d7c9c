// Sampling that Python can watch and stop: other threads of Python go on meanwhile.
#pragma once

#include <pybind11/pybind11.h>

#include <functional>

#include "mbnn/run/problem.h"

namespace mbnn::python {

// Runs `work` on a thread of its own, which knows nothing of Python, and waits for it without the interpreter's lock.
// The caller's thread, which has the lock, hands each chain's latest status to `report` (None: nobody) and looks for
// signals. Ctrl-C, or an exception in `report`, tells the work to stop and waits until it has; the exception goes on,
// but after Ctrl-C what `work` returns is returned: false if it did not come to its end.
bool run_watched(const std::function<bool(const RunOptions&)>& work, std::size_t threads,
                 const pybind11::object& report);

}  // namespace mbnn::python
