// A job that is one fit: made or continued in fits/, scored on the test rows, and told in one row.
#pragma once

#include <memory>

#include "apps/reproduce/data_sets.h"
#include "apps/reproduce/study.h"
#include "mbnn/tables/fitted_model.h"

namespace mbnn::studies {

struct FitTask {
  Configuration configuration;  // its `data` is a name that does not depend on the machine
  std::shared_ptr<const Table> table;
  std::int64_t checksum = 0;   // of the table
  nlohmann::json source = {};  // what all repetitions share of table and splits; null if each has its own
  std::vector<std::size_t> training_rows, test_rows;
  std::function<Row(const FittedModel&)> more_figures = {};              // beside those of every fit
  std::function<void(const FittedModel&, const JobContext&)> then = {};  // further files of a finished fit
};

// The task of a split, from 1, of a public table.
FitTask split_task(const DataSet& set, std::size_t split, Configuration configuration, const StudyOptions& options);

Job fit_job(std::vector<std::string> key, FitTask task);

// Where the fit of a job is; what interrupted runs of it took, kept beside it until it is finished; and what becomes of
// both once the row is there.
std::string fit_path(const std::string& directory, const std::string& name);
Cost earlier_cost(const JobContext& context);
void keep_cost(const JobContext& context, const Cost& earlier);
void clear_fit(const JobContext& context);

// The figures of a row: n, those of the task, widths, lambda, noise and gradient evaluations.
extern const std::vector<std::string> kRegressionFigures, kClassificationFigures;

}  // namespace mbnn::studies
