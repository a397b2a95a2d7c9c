#include "experiments/studies/series_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "experiments/studies/series_data.h"
#include "mbnn/core/error.h"
#include "mbnn/predict/mixture.h"
#include "mbnn/series/forecast.h"

namespace mbnn::studies {

namespace {

constexpr const char* kHeader = "data,preset,model,seed,mode,n,rmse,nll,crps,coverage,seconds\n";

struct Task {
  std::string data, preset, model;
  std::uint64_t seed;
  std::string key() const { return fmt::format("{},{},{},{}", data, preset, model, seed); }
};

// Generated data of each seed are another year; the real ones are what they are, and a seed is that of the chains.
Table table_of(const Task& task, const SeriesStudyOptions& options) {
  if (task.data == "search") return search_volumes(task.seed);
  TableOptions table;
  if (task.data == "bike_day") table.categorical = {"season", "mnth", "weekday", "weathersit"};
  return read_table(options.data_dir + "/series/" + task.data + ".csv", table);
}

SeriesConfiguration configuration_of(const Task& task) {
  const bool paper = task.preset == "paper";
  SeriesConfiguration c = paper ? SeriesConfiguration::paper() : SeriesConfiguration();
  const std::map<std::string, Regression> regressions{
      {"linear", Regression::linear}, {"bnn", Regression::bnn}, {"mbnn", Regression::mbnn}};
  c.series.regression = regressions.at(task.model);
  c.base.seed = task.seed;
  if (task.data == "search") {
    c.base.encoding.target = "product";
    c.date = "day";
    c.train_rows = 240;
    if (!paper) {
      c.series.trend = Trend::damped;
      c.series.learn_damping = true;
    }
  } else if (task.data == "iclaims") {
    c.base.encoding.target = "iclaimsNSA";
    c.date = "date";
    c.train_rows = 300;
  } else {
    c.base.encoding.target = "cnt";
    c.date = "dteday";
    c.ignore = {"instant", "casual", "registered", "yr"};
    c.train_until = "2012-08-31";
    if (!paper) c.series.seasons = {7};
  }
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

std::string run_task(const Task& task, const SeriesStudyOptions& options) {
  const std::clock_t begin = std::clock();
  SeriesConfiguration c = configuration_of(task);
  const Table table = table_of(task, options);
  std::vector<std::string> notes;
  const PreparedSeries prepared = prepare_series(c, table, notes);
  if (task.data == "search" && task.preset == "paper") {  // the paper's variances are in thousands of searches
    const double unit = prepared.encoding.target_sd() * prepared.encoding.target_sd();
    c.series.level.fixed /= unit;
    c.series.initial_level /= unit;
  }
  const FittedSeries fitted = sample_series(c, prepared, {options.threads, {}, options.stop});
  if (options.stop.stop_requested()) return "";
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;  // of the processor
  const SeriesRows rows = read_series_rows(fitted, table, TargetColumn::required, notes);
  const SeriesScores scores = evaluate_series(fitted, rows, 0.95);
  if (task.seed == 1)
    write_predictions(fmt::format("{}/series_{}_{}_{}.csv", options.out, task.data, task.preset, task.model), fitted,
                      rows);
  std::string text;
  for (const auto& [mode, m] : {std::pair{"forecast", scores.forecast}, std::pair{"nowcast", scores.nowcast}})
    text += fmt::format("{},{},{},{:.6g},{:.6g},{:.6g},{:.4f},{:.1f}\n", task.key(), mode, m.n, m.rmse, m.nll, m.crps,
                        m.coverage, seconds);
  return text;
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

// Rows that a kill has cut short are dropped, and their fit is run again.
std::set<std::string> keep_whole_rows(const std::string& path) {
  std::ifstream file(path);
  std::map<std::string, std::vector<std::string>> rows;
  std::vector<std::string> order;
  std::string line;
  while (std::getline(file, line)) {
    const auto cells = cells_of(line);
    if (cells.size() != 11 || cells[0] == "data" || file.eof()) continue;
    const std::string key = fmt::format("{},{},{},{}", cells[0], cells[1], cells[2], cells[3]);
    if (rows[key].empty()) order.push_back(key);
    rows[key].push_back(line);
  }
  file.close();
  std::set<std::string> done;
  std::ofstream out(path + ".tmp");
  out << kHeader;
  for (const auto& key : order) {
    if (rows[key].size() != 2) continue;
    done.insert(key);
    for (const auto& row : rows[key]) out << row << "\n";
  }
  out.close();
  if (!out) throw Error(fmt::format("{} could not be written", path));
  std::filesystem::rename(path + ".tmp", path);
  return done;
}

}  // namespace

bool run_series_study(const SeriesStudyOptions& options, const StudyObserver& observer) {
  std::filesystem::create_directories(options.out);
  const std::string path = options.out + "/series.csv";
  const std::set<std::string> done = keep_whole_rows(path);
  for (std::uint64_t seed = 1; seed <= options.seeds; ++seed)
    for (const auto& preset : options.presets)
      for (const auto& data : options.data)
        for (const auto& model : options.models) {
          const Task task{data, preset, model, seed};
          if (done.contains(task.key()) || (data != "search" && options.data_dir.empty())) continue;
          const std::string rows = run_task(task, options);
          if (rows.empty()) return false;
          std::ofstream out(path, std::ios::app);
          out << rows << std::flush;
          if (!out) throw Error(fmt::format("{} could not be written", path));
          observer(rows.substr(0, rows.size() - 1));
        }
  std::ofstream table(options.out + "/series.md");
  table << series_study_table(path);
  return true;
}

std::string series_study_table(const std::string& csv_path) {
  struct Sums {
    std::vector<std::vector<double>> values = std::vector<std::vector<double>>(5);  // rmse nll crps coverage seconds
  };
  std::map<std::string, Sums> groups;
  std::vector<std::string> order;
  std::ifstream file(csv_path);
  for (std::string line; std::getline(file, line);) {
    const auto cells = cells_of(line);
    if (cells.size() != 11 || cells[0] == "data") continue;
    const std::string key = fmt::format("| {} | {} | {} | {} |", cells[0], cells[1], cells[4], cells[2]);
    if (!groups.contains(key)) order.push_back(key);
    for (std::size_t i = 0; i < 5; ++i) groups[key].values[i].push_back(std::stod(cells[6 + i]));
  }
  std::sort(order.begin(), order.end());
  std::string text =
      "| data | setting | mode | regression | RMSE | NLL | CRPS | coverage | seconds | seeds |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n";
  for (const auto& key : order) {
    text += key;
    for (std::size_t i = 0; i < 5; ++i) {
      const auto& v = groups[key].values[i];
      const double n = static_cast<double>(v.size());
      double mean = 0, square = 0;
      for (double x : v) mean += x / n;
      for (double x : v) square += (x - mean) * (x - mean);
      const double error = n > 1 ? std::sqrt(square / (n - 1) / n) : 0;
      const int digits = mean >= 100 ? 0 : 3;
      text +=
          i == 4 ? fmt::format(" {:.0f} |", mean) : fmt::format(" {:.{}f} ({:.{}f}) |", mean, digits, error, digits);
    }
    text += fmt::format(" {} |\n", groups[key].values[0].size());
  }
  return text;
}

}  // namespace mbnn::studies
