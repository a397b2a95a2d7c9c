// Where errors of the library become exceptions of Python.
#pragma once

#include <pybind11/pybind11.h>

namespace mbnn::python {

// InputError becomes ValueError, an option spelled as an argument; Error, RuntimeError's child mbnn.Error.
void translate_errors(pybind11::module_& module);

}  // namespace mbnn::python
