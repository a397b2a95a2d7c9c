// mbnn series fit: a structural series and the regression inside it.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>

#include "apps/mbnn/declared_options.h"
#include "apps/mbnn/series.h"
#include "apps/mbnn/session.h"
#include "mbnn/core/error.h"
#include "mbnn/series/series_fit.h"

namespace mbnn::app {

namespace {

int fit(const FitArguments& arguments, const Common& common) {
  SeriesConfiguration c = configured<SeriesConfiguration>(arguments.given);
  c.settle();
  check_out(arguments, c.base.data);
  Table table = read_table(c.base.data, with_dates(c.base.table, c.date));
  std::vector<std::string> notes = table.notes;
  const PreparedSeries prepared = [&] {
    try {
      return prepare_series(c, std::move(table), notes);
    } catch (const InputError&) {
      say(common, notes);
      throw;
    }
  }();
  say(common, notes);
  stop_on_signal();
  FitFile file = create_series_fit(arguments.out, c, prepared, notes, arguments.force);
  if (!common.quiet)
    fmt::print(stderr,
               "{} steps, {} of them observed, {} regressors, target {}; {} chains of {} + {} x {} iterations\n",
               prepared.data.steps, prepared.data.rows.rows, prepared.data.rows.inputs, prepared.encoding.target(),
               c.base.chains, c.base.chain.warmup, c.base.chain.draws, c.base.chain.thin);
  return run_session(file, common, [&](const RunOptions& options) { return run_series_fit(file, options); });
}

}  // namespace

void add_series_fit(CLI::App& series, Common& common, Action& action) {
  auto* verb = series.add_subcommand("fit", "sample trend, seasons and regression of a series");
  auto arguments = std::make_shared<FitArguments>();
  SeriesConfiguration defaults;
  add_fit_options(*verb, options_of(defaults), *arguments);
  add_common_options(*verb, common);
  verb->footer("Example:\n  mbnn series fit sales.csv --target sales --date day --season 7 --out sales.mbnn");
  verb->callback([=, &common, &action] { action = [=, &common] { return fit(*arguments, common); }; });
}

}  // namespace mbnn::app
