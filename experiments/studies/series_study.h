// The paper's Figure 2 and its like: linear, BNN and mBNN inside structural series, on generated and real data.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace mbnn::studies {

struct SeriesStudyOptions {
  std::string out;       // a directory: series.csv, series.md and the predictions of the first seed go there
  std::string data_dir;  // holds series/iclaims.csv and series/bike_day.csv; empty = generated data only
  std::vector<std::string> data{"search", "iclaims", "bike_day"};
  std::vector<std::string> presets{"paper", "default"};
  std::vector<std::string> models{"linear", "bnn", "mbnn"};
  std::size_t seeds = 5;
  std::size_t threads = 2;
  std::stop_token stop;
};

// One line for whoever watches, such as a fit that has ended.
using StudyObserver = std::function<void(const std::string& line)>;

// Appends a row to series.csv as each fit ends; fits whose row is there already are not run again. Then writes
// series.md, the means over seeds. Returns false if stopped early.
bool run_series_study(const SeriesStudyOptions& options, const StudyObserver& observer);

// The table of series.csv, as markdown.
std::string series_study_table(const std::string& csv_path);

}  // namespace mbnn::studies
