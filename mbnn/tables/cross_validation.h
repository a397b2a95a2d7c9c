// A table cut into folds: a fit to all others is scored on the rows of each, which have left no trace in it.
#pragma once

#include "mbnn/tables/evaluation.h"
#include "mbnn/tables/table_problem.h"

namespace mbnn {

// The rows of each fold, in order. Rows of a class, which `classes` names by row, are spread over the folds: sizes
// differ by at most one, and so do the numbers of a class.
std::vector<std::vector<std::size_t>> deal_folds(std::span<const std::size_t> classes, std::size_t folds, Rng& rng);

class CrossValidation {
 public:
  // InputError if a fold would have no rows, or all rows of a class. The seed of the configuration deals the folds.
  CrossValidation(Configuration configuration, Table table, std::size_t folds, double level,
                  std::vector<std::string>& notes);

  const Encoding& columns() const { return columns_; }  // learnt from all rows: for messages
  std::size_t rows() const;
  std::size_t folds() const { return folds_.size(); }
  std::size_t fold_rows(std::size_t fold) const { return folds_.at(fold).size(); }

  // All rows but those of the fold.
  TableProblem problem(std::size_t fold) const;
  // Scores what was fitted to that problem, beside the constant of its rows; counts into the result.
  Evaluation score(std::size_t fold, const TableProblem& problem, const FittedModel& fitted, std::size_t threads);
  Evaluation result() const { return pooled_.result(); }  // of all rows that were scored

 private:
  Configuration configuration_;
  Table table_;
  Encoding columns_;
  double level_;
  std::vector<std::vector<std::size_t>> folds_;  // rows of the table
  Evaluator pooled_;
};

}  // namespace mbnn
