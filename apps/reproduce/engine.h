// Runs the jobs of a study side by side, keeps every finished row, and continues where an earlier run ended.
#pragma once

#include "apps/reproduce/study.h"

namespace mbnn::studies {

struct EngineOptions {
  std::string directory;      // made if absent; holds rows.csv, table.md and fits/
  std::size_t threads = 2;    // as many jobs at once, each on one thread; a lone job gets all of them
  double budget_minutes = 0;  // stop cleanly once they are over; 0: no limit
  bool keep_fits = true;
  std::string command;  // as the table cites it
  std::stop_token stop;
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

struct StudyOutcome {
  std::size_t jobs = 0, earlier = 0, finished = 0;  // asked for; there before; done now
  std::vector<std::string> failures;                // a line each; these jobs have no row and run again next time
  bool out_of_time = false, interrupted = false;
  std::vector<Row> rows;  // all of the directory
  std::string table;      // also written to table.md
};

StudyOutcome run_study(const Study& study, const EngineOptions& options);

// The table of the rows that are there, without a look at the data.
StudyOutcome read_study(const Study& study, const EngineOptions& options);

std::string settings_hash(const nlohmann::json& settings);

// Text that appears under its name only when it is complete.
void write_whole(const std::string& path, const std::string& text);

}  // namespace mbnn::studies
