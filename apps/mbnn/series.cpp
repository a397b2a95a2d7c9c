// mbnn series: structural time series with a regression inside; one sub-command a file.
#include "apps/mbnn/series.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "apps/common/details.h"

namespace mbnn::app {

void add_series(CLI::App& app, Common& common, Action& action) {
  auto* series =
      app.add_subcommand("series", "structural time series: a trend, seasons and a regression, sampled together");
  series->require_subcommand(1);
  add_series_fit(*series, common, action);
  add_series_forecast(*series, common, action);
  add_series_evaluate(*series, common, action);
  add_series_impact(*series, common, action);
  details_of(*series).known_as = {"time-series", "timeseries", "ts", "bsts"};
  series->footer(
      "mbnn series VERB --help shows a verb's options. resume, diagnose and summary work on these fits, too.\n"
      "Examples:\n"
      "  mbnn series fit visits.csv --target y --season auto --out visits.mbnn\n"
      "  mbnn series forecast visits.mbnn --horizon 30 --out next.csv\n"
      "  mbnn series fit sales.csv --target sales --date day --season 7 --train-until 2023-06-30 --out sales.mbnn\n"
      "  mbnn series forecast sales.mbnn sales.csv --mode forecast --out forecast.csv");
}

}  // namespace mbnn::app
