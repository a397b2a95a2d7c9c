// mbnn series: structural time series with a regression inside; one sub-command a file.
#include "apps/mbnn/series.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "mbnn/series/forecast.h"

namespace mbnn::app {

void add_series(CLI::App& app, Common& common, Action& action) {
  auto* series =
      app.add_subcommand("series", "structural time series: a trend, seasons and a regression, sampled together");
  series->require_subcommand(1);
  add_series_fit(*series, common, action);
  add_series_forecast(*series, common, action);
  add_series_evaluate(*series, common, action);
  add_series_impact(*series, common, action);
  add_series_likelihood(*series, common, action);
  series->footer(
      "mbnn series VERB --help shows a verb's options. resume, diagnose and summary work on these fits, too.\n"
      "Example:\n"
      "  mbnn series fit sales.csv --target sales --date day --season 7 --train-until 2023-06-30 --out sales.mbnn\n"
      "  mbnn series forecast sales.mbnn sales.csv --mode forecast --out forecast.csv");
}

std::string describe_series(const FitFile& file, const FittedModel& fitted) {
  if (fitted.draw_count() == 0) return "";
  const auto names = file.configuration().at("traces").get<std::vector<std::string>>();
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool damping = names[i] == "damping";
    if (!damping && (!names[i].ends_with("_sd") || names[i] == "noise_sd")) continue;
    double sum = 0;
    for (const auto& chain : fitted.traces)
      for (const auto& draw : chain) sum += draw.at(i);
    const double mean = sum / static_cast<double>(fitted.draw_count());
    if (damping) {
      text += fmt::format("damping  {:.4g}\n", mean);
    } else {
      text += fmt::format("{:<8} {:.4g} (standard deviation of its change in a step)\n",
                          names[i].substr(0, names[i].size() - 3), mean * fitted.encoding.target_sd());
    }
  }
  return text;
}

Diagnosis diagnose_series(const FitFile& file, const FittedModel& fitted) {
  const FittedSeries series = FittedSeries::read(file);
  return diagnose(file, fitted, SeriesForecaster(series).next_step(reference_rows(series.data.rows)));
}

}  // namespace mbnn::app
