#include "python/core/errors.h"

#include <algorithm>
#include <string>

#include "mbnn/core/error.h"

namespace py = pybind11;

namespace mbnn::python {

namespace {

// Messages may quote bytes of a file that are no text.
void raise(PyObject* type, const std::string& message) {
  const auto text = py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "replace"));
  PyErr_SetObject(type, text.ptr());
}

// "leapfrog-steps = 0: must be at least 1" is about the argument leapfrog_steps, and "lambda = 0" about lambda_.
std::string with_argument(const OptionError& error) {
  std::string name = error.option();
  std::ranges::replace(name, '-', '_');
  if (py::module_::import("keyword").attr("iskeyword")(name).cast<bool>()) name += '_';
  return name + std::string(error.what()).substr(error.option().size());
}

}  // namespace

void translate_errors(py::module_& module) {
  static PyObject* error = nullptr;  // lives as long as the interpreter
  error = py::exception<Error>(module, "Error", PyExc_RuntimeError).release().ptr();
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const OptionError& e) {
      raise(PyExc_ValueError, with_argument(e));
    } catch (const InputError& e) {
      raise(PyExc_ValueError, e.what());
    } catch (const Error& e) {
      raise(error, e.what());
    }
  });
}

}  // namespace mbnn::python
