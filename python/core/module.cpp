#include "python/core/module.h"

#include "python/core/errors.h"
#include "python/core/tables.h"

PYBIND11_MODULE(_core, module) {
  module.attr("__version__") = MBNN_VERSION;
  mbnn::python::translate_errors(module);
  mbnn::python::bind_tables(module);
  mbnn::python::bind_fits(module);
  mbnn::python::bind_predictions(module);
}
