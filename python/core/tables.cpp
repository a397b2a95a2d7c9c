#include "python/core/tables.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "mbnn/core/options.h"
#include "mbnn/tables/columns/table_builder.h"
#include "mbnn/tables/table_problem.h"

namespace py = pybind11;

namespace mbnn::python {

namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Places = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;
using Given = std::vector<std::pair<std::string, std::string>>;

Configuration configuration_of(const Given& given) {
  GivenOptions options;
  for (const auto& [name, text] : given) options.push_back({name, text});
  Configuration configuration = configured<Configuration>(options);
  configuration.check();
  return configuration;
}

// The declarations, for arguments and their documents.
py::list table_options() {
  Configuration configuration;
  const OptionList options = options_with_defaults(configuration);
  py::list list;
  for (const Option* option : options.shown()) {
    py::dict d;
    d["name"] = option->name();
    d["group"] = option->group();
    d["kind"] = option->value().kind;
    d["choices"] = option->value().choices;
    d["help"] = option->help();
    list.append(d);
  }
  return list;
}

// What was given for a fit, as far as it can be told: the options whose values differ from the defaults.
Given given_for(const std::string& configuration_json) {
  Configuration made = configuration_from_json(nlohmann::json::parse(configuration_json)), usual;
  usual.set_method(made.method, false);
  const OptionList options = options_of(made), defaults = options_of(usual);
  Given given;
  for (const Option* option : options.shown()) {
    const OptionValue &value = option->value(), &other = defaults.find(option->name())->value();
    const bool same = value.flag() ? value.get() == other.get() : value.show() == other.show();
    if (!same && !option->idle()) given.emplace_back(option->name(), value.flag() ? "" : value.show());
  }
  return given;
}

}  // namespace

Table table_of(const py::list& columns, const std::string& name, TableOptions options) {
  TableBuilder builder(name, std::move(options));
  for (const py::handle item : columns) {
    const auto column = item.cast<py::tuple>();
    const auto column_name = column[0].cast<std::string>();
    if (column.size() == 2) {
      const auto numbers = column[1].cast<Numbers>();
      builder.add_numbers(column_name, {numbers.data(), numbers.data() + numbers.size()});
    } else {
      const auto places = column[2].cast<Places>();
      builder.add_texts(column_name, column[1].cast<std::vector<std::string>>(),
                        {places.data(), static_cast<std::size_t>(places.size())}, column[3].cast<bool>());
    }
  }
  return builder.finish();
}

void bind_tables(py::module_& module) {
  module.def("table_options", table_options);
  module.def("given_for", given_for);
  py::class_<TableProblem>(module, "TableProblem")
      .def_static(
          "read", [](const Given& given) { return TableProblem::read(configuration_of(given)); },
          py::call_guard<py::gil_scoped_release>())
      .def_static("of_columns",
                  [](const Given& given, const py::list& columns, const std::string& name) {
                    Configuration configuration = configuration_of(given);
                    configuration.data = name;
                    Table table = table_of(columns, name, configuration.table);
                    std::vector<std::string> notes;
                    const py::gil_scoped_release others;
                    return TableProblem::of_table(std::move(configuration), std::move(table), notes);
                  })
      .def_property_readonly("chains", &TableProblem::chains)
      .def_property_readonly("labels", [](const TableProblem& problem) { return problem.columns().labels(); })
      .def_property_readonly("notes", &TableProblem::notes);
}

}  // namespace mbnn::python
