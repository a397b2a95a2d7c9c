// mbnn series fit: a structural series and the regression inside it.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>

#include "apps/mbnn/series.h"
#include "apps/mbnn/session.h"
#include "mbnn/core/error.h"
#include "mbnn/series/series_problem.h"

namespace mbnn::app {

namespace {

int fit_series(const FitArguments& arguments, const Common& common) {
  SeriesConfiguration c = configured<SeriesConfiguration>(arguments.given);
  c.lengths_given = std::ranges::any_of(arguments.given, [](const GivenOption& given) {
    return given.name == "warmup" || given.name == "draws" || given.name == "thin";
  });
  c.settle();
  check_out(arguments.out, c.base.data, arguments.force);
  std::vector<std::string> notes;
  SeriesProblem problem = [&] {
    try {
      return SeriesProblem::read(c, notes);
    } catch (const InputError&) {
      say(common, notes);
      throw;
    }
  }();
  say(common, notes);
  const PreparedSeries& series = problem.series();
  const Configuration& base = problem.options().base;
  const std::string seasons =
      series.structure.seasons.empty() ? "" : fmt::format(", seasons {}", list_seasons(series.structure.seasons));
  const std::string opening =
      fmt::format("{} steps, {} of them observed, {} regressors{}, target {}; {} chains of {} + {} x {} iterations",
                  series.data.steps, series.data.rows.rows, series.data.rows.inputs, seasons, series.encoding.target(),
                  base.chains, base.chain.warmup, base.chain.draws, base.chain.thin);
  return begin_session(problem, arguments, opening, common);
}

}  // namespace

void add_series_fit(CLI::App& series, Common& common, Action& action) {
  SeriesConfiguration defaults;
  add_fit_verb(series, "sample trend, seasons and regression of a series", options_of(defaults), common, action,
               fit_series)
      .footer("Example:\n  mbnn series fit sales.csv --target sales --date day --season 7 --out sales.mbnn");
}

}  // namespace mbnn::app
