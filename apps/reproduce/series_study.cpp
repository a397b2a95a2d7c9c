// The paper's Figure 2 and its like: linear, BNN and mBNN inside structural series, on generated and real data.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "apps/reproduce/data_sets.h"
#include "apps/reproduce/series_data.h"
#include "apps/reproduce/study.h"
#include "apps/reproduce/tables.h"
#include "mbnn/core/error.h"
#include "mbnn/judge/mixture.h"
#include "mbnn/series/forecast.h"
#include "mbnn/series/series_problem.h"

namespace mbnn::studies {

namespace {

const std::vector<std::string> kSets{"search", "iclaims", "bike_day"}, kRegressions{"linear", "bnn", "mbnn"},
    kModes{"forecast", "nowcast"}, kScores{"rmse", "nll", "crps", "coverage"};

std::string path_of(const std::string& set, const StudyOptions& options) {
  return fmt::format("{}/series/{}.csv", options.data_directory, set);
}

// Generated data of each repetition are another year; the real ones are what they are, and the seed is that of the
// chains.
Table table_of(const std::string& set, std::uint64_t seed, const StudyOptions& options) {
  if (set == "search") return search_volumes(seed);
  if (options.data_directory.empty())
    throw InputError(
        fmt::format("{}: no data: --data-dir (or MBNN_DATA) must name a directory that holds "
                    "series/{}.csv; --sets search needs none",
                    set, set));
  const std::string path = path_of(set, options);
  if (!std::filesystem::exists(path))
    throw InputError(fmt::format("{} is not there: it is {}", path,
                                 set == "iclaims" ? "the data set iclaims of the R package bsts"
                                                  : "day.csv of the UCI repository's Bike Sharing data"));
  TableOptions table;
  if (set == "bike_day") {
    table.categorical = {"season", "mnth", "weekday", "weathersit"};
    table.ignore = {"instant", "casual", "registered", "yr"};
  }
  return read_table(path, table);
}

SeriesConfiguration configuration_of(const std::string& set, const std::string& method, const StudyOptions& options) {
  const bool paper = options.setting == "paper";
  SeriesConfiguration c = paper ? SeriesConfiguration::paper() : SeriesConfiguration();
  const std::map<std::string, Regression> regressions{
      {"linear", Regression::linear}, {"bnn", Regression::bnn}, {"mbnn", Regression::mbnn}};
  c.series.regression = regressions.at(method);
  if (set == "search") {
    c.base.encoding.target = "product";
    c.date = "day";
    c.train_rows = 240;
    if (!paper) {
      c.series.trend = Trend::damped;
      c.series.learn_damping = true;
    }
  } else if (set == "iclaims") {
    c.base.encoding.target = "iclaimsNSA";
    c.date = "date";
    c.train_rows = 300;
  } else {
    c.base.encoding.target = "cnt";
    c.date = "dteday";
    c.train_until = "2012-08-31";
    if (!paper) c.series.seasons = {7};
  }
  adjust(c.base, options);
  c.settle();
  return c;
}

// Both modes, for the figure.
void write_predictions(const std::string& path, const FittedSeries& fitted, const SeriesRows& rows) {
  const Encoding& encoding = fitted.regression.encoding;
  std::ofstream file(path);
  file << "mode,date,actual,mean,sd,lower,upper,trend\n";
  const SeriesForecaster forecaster(fitted);
  for (const auto& [name, mode] :
       {std::pair{"forecast", ForecastMode::forecast}, std::pair{"nowcast", ForecastMode::nowcast}})
    forecaster.for_each_row(rows, mode, [&](const SeriesPrediction& p) {
      const auto& law = p.target;
      double trend = 0;
      for (double mean : p.components[0].means) trend += mean / static_cast<double>(law.means.size());
      file << fmt::format("{},{},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g}\n", name, rows.dates[p.row],
                          encoding.target_mean() + encoding.target_sd() * rows.targets[p.row],
                          mixture_mean(law.means, law.sds), mixture_sd(law.means, law.sds),
                          mixture_quantile(0.025, law.means, law.sds), mixture_quantile(0.975, law.means, law.sds),
                          trend);
    });
  if (!file) throw Error(fmt::format("{} could not be written", path));
}

std::optional<JobResult> run_series(const std::string& set, const std::string& method, std::size_t repetition,
                                    SeriesConfiguration c, const StudyOptions& options, const JobContext& context) {
  const Table table = table_of(set, c.base.seed, options);
  std::vector<std::string> notes;
  const PreparedSeries prepared = prepare_series(c, table, notes);
  if (set == "search" && options.setting == "paper") {  // the paper's variances are in thousands of searches
    const double unit = prepared.encoding.target_sd() * prepared.encoding.target_sd();
    c.series.level.fixed /= unit;
    c.series.initial_level /= unit;
  }
  const FittedSeries fitted = sample_series(c, prepared, {.threads = context.threads, .stop = context.stop});
  if (context.stop.stop_requested()) return {};
  const SeriesRows rows = read_series_rows(fitted, table, TargetColumn::required, notes);
  const SeriesScores scores = evaluate_series(fitted, rows, 0.95);
  if (repetition == 1 && set == "search")  // for other programs
    std::ofstream(context.directory + "/search.csv") << search_volumes_csv(c.base.seed);
  if (repetition == 1)
    write_predictions(fmt::format("{}/predictions-{}-{}.csv", context.directory, set, method), fitted, rows);
  JobResult result;
  result.figures["n"] = cell(static_cast<double>(scores.forecast.n));
  for (const auto& [mode, m] : {std::pair{"forecast", scores.forecast}, std::pair{"nowcast", scores.nowcast}}) {
    result.figures[fmt::format("{}_rmse", mode)] = cell(m.rmse);
    result.figures[fmt::format("{}_nll", mode)] = cell(m.nll);
    result.figures[fmt::format("{}_crps", mode)] = cell(m.crps);
    result.figures[fmt::format("{}_coverage", mode)] = cell(m.coverage);
  }
  return result;
}

std::string series_table(const std::vector<Row>& rows, const StudyOptions& options) {
  MarkdownTable table({"data", "mode", "regression", "seeds", "RMSE", "NLL", "CRPS", "coverage", "CPU s a fit"});
  for (const std::string& set : kSets)
    for (const std::string& mode : kModes)
      for (const std::string& method : kRegressions) {
        const auto mine = select(rows, {{"set", set}, {"method", method}});
        if (mine.empty()) continue;
        std::vector<std::string> cells{set, mode, method, std::to_string(mine.size())};
        for (const std::string& score : kScores) {
          const Summary summary = summarise(mine, mode + "_" + score);
          cells.push_back(mean_and_error(summary, std::abs(summary.mean) >= 100 ? 0 : 3));
        }
        cells.push_back(mean_only(summarise(mine, "cpu_seconds"), 1));
        table.add(cells);
      }
  return fmt::format(
             "Setting `{}`; means ± standard errors over seeds. Forecast: regressors only after the end of training; "
             "nowcast: one step ahead.\n\n",
             options.setting) +
         table.text();
}

}  // namespace

Study series_study(const StudyOptions& options) {
  Study study;
  study.name = "series";
  study.sets = kSets;
  study.methods = kRegressions;
  study.repetitions = "1-5";
  study.keys = {"set", "method", "split"};
  study.figures = {"n"};
  for (const std::string& mode : kModes)
    for (const std::string& score : kScores) study.figures.push_back(mode + "_" + score);
  study.headline = {"nowcast_rmse", "nowcast_nll", "nowcast_coverage"};
  study.jobs = [=] {
    const auto sets = chosen(options.sets, kSets, "--sets"),
               methods = chosen(options.methods, kRegressions, "--methods");
    std::map<std::string, nlohmann::json> checksums;
    for (const std::string& set : sets) {
      table_of(set, 1, options);  // absent data are said at once
      if (set == "search")
        checksums[set] = nullptr;
      else
        checksums[set] = checksum_of_table(path_of(set, options));
    }
    std::vector<Job> jobs;
    for (std::size_t repetition : options.splits)
      for (const std::string& set : sets)
        for (const std::string& method : methods) {
          SeriesConfiguration c = configuration_of(set, method, options);
          c.base.seed = options.seed + repetition - 1;
          Job job;
          job.key = {set, method, std::to_string(repetition)};
          job.seed = c.base.seed;
          job.common = {{"configuration", settings_of(to_json(c))}, {"table", checksums.at(set)}};
          job.settings = job.common;
          job.common["configuration"].erase("seed");
          job.run = [=](const JobContext& context) { return run_series(set, method, repetition, c, options, context); };
          jobs.push_back(std::move(job));
        }
    return jobs;
  };
  study.table = [=](const std::vector<Row>& rows) { return series_table(rows, options); };
  return study;
}

}  // namespace mbnn::studies
