// How good a fit is on rows whose target is known, beside a prediction that looks at no input.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "mbnn/judge/metrics.h"
#include "mbnn/judge/reliability.h"
#include "mbnn/tables/fitted_model.h"

namespace mbnn {

// What the training rows say of every row: a normal with their mean and deviation, or the share of each class.
struct Constant {
  double mean = 0, sd = 1;
  std::vector<double> shares = {};

  static Constant of(const Dataset& training, const Encoding& encoding);
};

struct Evaluation {
  Task task;
  double level = 0.95;  // of the intervals
  RegressionMetrics regression = {};
  ClassificationMetrics classification = {};
  // The same of the constant, if there was one.
  std::optional<RegressionMetrics> constant_regression = {};
  std::optional<ClassificationMetrics> constant_classification = {};
  // Regression
  double r2 = 0;  // 1 - squared errors / squared distances from the mean of these rows; NaN if all are equal
  PitSummary pit = {};
  std::vector<CoveragePart> quarters = {};  // of the predictions
  // Classification
  double auc = 0;
  std::vector<std::string> labels = {};
  std::vector<std::vector<std::size_t>> confusion = {};  // rows by label, then predicted label

  std::size_t rows() const { return task == Task::regression ? regression.n : classification.n; }
};

// 1 - score / that of the constant, for a score of which less is better and 0 is perfect.
double skill(double score, double of_constant);
nlohmann::ordered_json to_json(const Evaluation& evaluation);

// Gathers the scores of rows, of one fit or of several to different rows of a table.
class Evaluator {
 public:
  explicit Evaluator(double level) : level_(level) {}
  void add(const FittedModel& fitted, const Dataset& data, std::size_t threads,
           const std::optional<Constant>& constant = {});
  // Adds what another one of the same level has gathered.
  void add(const Evaluator& other);
  Evaluation result() const;

 private:
  void require_same(Task task, const std::vector<std::string>& labels) const;
  void add_numbers(const FittedModel& fitted, const Dataset& data, std::size_t threads);
  void add_classes(const FittedModel& fitted, const Dataset& data, std::size_t threads);

  double level_;
  std::optional<Task> task_;
  RegressionAccumulator regression_, constant_regression_;
  ClassificationAccumulator classification_, constant_classification_;
  bool with_constant_ = true;
  std::vector<double> targets_, pits_;
  std::vector<CoveredRow> covered_;
  std::vector<std::string> labels_;
  std::vector<double> probabilities_;  // by row, then class
  std::vector<std::size_t> classes_;   // of the rows
};

Evaluation evaluate(const FittedModel& fitted, const Dataset& data, double level, std::size_t threads,
                    const std::optional<Constant>& constant = {});

}  // namespace mbnn
