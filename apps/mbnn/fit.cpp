// mbnn fit: a table in, a posterior over small networks out.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "apps/common/details.h"
#include "apps/mbnn/session.h"
#include "mbnn/core/error.h"
#include "mbnn/core/names.h"
#include "mbnn/tables/table_problem.h"

namespace mbnn::app {

namespace {

// What will be run, for the line that opens a fit.
std::string plan(const Configuration& c) {
  switch (c.method) {
    case Method::ns_vi:
      return fmt::format("{} variational run{} of {} epochs", c.chains, c.chains == 1 ? "" : "s", c.variational.epochs);
    case Method::logistic:
      return "logistic regression";
    default:
      return fmt::format("{} chains of {} + {} x {} iterations ({})", c.chains, c.chain.warmup, c.chain.draws,
                         c.chain.thin, name_of(c.chain.sampler));
  }
}

int fit_table(const FitArguments& arguments, const Common& common) {
  const Configuration c = configured<Configuration>(arguments.given);
  c.check();
  check_out(arguments.out, c.data, arguments.force);
  std::vector<std::string> notes;
  TableProblem problem = [&] {
    try {
      return TableProblem::read(c, notes);
    } catch (const InputError&) {
      say(common, notes);  // they often hold the reason
      throw;
    }
  }();
  say(common, notes);
  const Encoding& columns = problem.columns();
  const std::string opening = fmt::format("{} rows, {} inputs, {}; {}", problem.rows().rows, problem.rows().inputs,
                                          columns.task() == Task::regression
                                              ? fmt::format("target {}", columns.target())
                                              : fmt::format("{} classes of {}", columns.classes(), columns.target()),
                                          plan(c));
  return begin_session(problem, arguments, opening, common);
}

}  // namespace

void add_fit(CLI::App& app, Common& common, Action& action) {
  Configuration defaults;
  CLI::App& verb = add_fit_verb(app, "sample the posterior of a masked network on a table, or fit a baseline",
                                options_with_defaults(defaults), common, action, fit_table);
  details_of(verb).known_as = {"train", "sample", "learn", "build", "new"};
  verb.footer("Example:\n  mbnn fit houses.csv --target price --out houses.mbnn");
}

}  // namespace mbnn::app
