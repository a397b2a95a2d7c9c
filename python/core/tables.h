// Options and columns as Python hands them over.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <vector>

#include "mbnn/tables/columns/table.h"

namespace mbnn::python {

// A list of (name, float64 array), NaN for missing, or (name, texts, places in them, whether these are categories).
// `name` stands for the table in messages.
Table table_of(const pybind11::list& columns, const std::string& name, TableOptions options);

// For the module: what the options of a fit of a table are, and problems made of options and rows.
void bind_tables(pybind11::module_& module);

}  // namespace mbnn::python
