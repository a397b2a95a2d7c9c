// The parts of the module mbnn._core. What a part does is the library's; nothing is decided here that C++ users lack.
#pragma once

#include <pybind11/pybind11.h>

namespace mbnn::python {

void bind_fits(pybind11::module_& module);
void bind_predictions(pybind11::module_& module);

}  // namespace mbnn::python
