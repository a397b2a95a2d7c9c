// What a study is: jobs that each give one row, and the table that is made of the rows.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "apps/reproduce/rows_file.h"
#include "mbnn/core/options.h"
#include "mbnn/images/image_configuration.h"
#include "mbnn/tables/configuration.h"

namespace mbnn::studies {

inline constexpr const char* kPaperSplits = "splits_paper.txt";

// What the user chose. Empty lists are those that the study has by default.
struct StudyOptions {
  std::string data_directory;  // holds uci/NAME/NAME.csv and uci/NAME/<splits_file>, series/NAME.csv,
                               // or directories of images
  std::string splits_file = kPaperSplits;
  std::vector<std::string> sets, methods;
  std::vector<std::size_t> splits;  // from 1, at least one; data sets of a simulation are numbered the same way
  std::string setting = "default";  // or paper
  std::uint64_t seed = 1;           // split k has seed + k - 1
  GivenOptions given;               // the user's own options of a fit
  std::size_t chains = 0;           // of a fit; 0: as the setting has it
  std::int64_t draws = 0;           // the same
};

// Puts the user's options on top of a configuration.
void adjust(Configuration& configuration, const StudyOptions& options);
void adjust(ImageConfiguration& configuration, const StudyOptions& options);

// A setting that makes a method what it is: its place in the configuration, and the option that would change it.
struct Fixed {
  std::string place, option;
};
// The same. InputError for an option that changes what `method` fixes or, with images, is of no use to it.
void adjust(Configuration& configuration, const StudyOptions& options, const std::string& method,
            const std::vector<Fixed>& fixed);
void adjust(ImageConfiguration& configuration, const StudyOptions& options, const std::string& method,
            const std::vector<Fixed>& fixed);

// What a row depends on of a configuration: rows of earlier versions, which do not say the kind, are continued.
nlohmann::json settings_of(nlohmann::json configuration);

struct Cost {
  double seconds = 0, cpu_seconds = 0;
};

// What a running job may use.
struct JobContext {
  std::string directory;  // of the study
  std::string name;       // of the job, fit for a file name
  bool keep_fits = true;
  std::size_t threads = 1;
  std::stop_token stop;
  std::function<Cost()> spent;                  // on this job since it was started
  std::function<void(const std::string&)> say;  // a line for the user
};

struct JobResult {
  Row figures;
  Cost earlier;  // of interrupted runs that this one continued
};

struct Job {
  std::vector<std::string> key;  // one value for each of the study's key columns
  std::uint64_t seed = 1;
  nlohmann::json settings;  // all that the row depends on
  nlohmann::json common;    // of that, what all repetitions share: rows that differ in it are never mixed
  std::function<std::optional<JobResult>(const JobContext&)> run;  // nothing if it was stopped
  std::function<void(const std::string& directory)> check;         // refuses what an earlier run left; may be empty
  std::function<void(const JobContext&)> clear;                    // once the row is kept; may be empty
};

struct Study {
  std::string name;
  std::vector<std::string> sets, methods;  // all that the user may choose from; empty: no such choice
  std::string repetitions = "1-20";        // what --splits is if the user does not say
  std::vector<std::string> keys;           // columns that tell rows apart; the last counts repetitions
  std::vector<std::string> figures;        // columns of results
  std::vector<std::string> headline;       // figures that the line of a finished job shows
  std::function<std::vector<Job>()> jobs;  // reads data; InputError if it is absent
  std::function<std::string(const std::vector<Row>&)> table;  // markdown

  std::vector<std::string> columns() const;
};

// The names, or all of `known` if there are none; an unknown one is refused as a value of `option`.
std::vector<std::string> chosen(const std::vector<std::string>& names, const std::vector<std::string>& known,
                                const std::string& option);

Study polynomial_study(const StudyOptions& options);
Study proposals_study(const StudyOptions& options);
Study uci_study(const StudyOptions& options);
Study lambda_study(const StudyOptions& options);
Study classification_study(const StudyOptions& options);
Study concentration_study(const StudyOptions& options);
Study series_study(const StudyOptions& options);
Study images_study(const StudyOptions& options);
Study image_proposals_study(const StudyOptions& options);

}  // namespace mbnn::studies
