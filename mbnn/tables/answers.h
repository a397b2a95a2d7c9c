// What is said of each row of a table: the numbers that a table of predictions has, beside each other as its columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mbnn/tables/predictive.h"

namespace mbnn {

struct AnswerOptions {
  double interval = 0.95;                  // probability between lower and upper
  bool parts = false;                      // the spread of the function apart from that of the noise
  std::vector<double> quantiles = {};      // of the predictive law
  std::vector<double> above = {};          // the probabilities that the target is above these
  std::size_t samples = 0;                 // draws of the target
  std::optional<std::uint64_t> seed = {};  // of these; the fit's otherwise
};

struct Answer {
  int label = -1;              // classification: the place of the most probable class
  std::vector<double> values;  // by column
  int digits = 9;              // that tell places of the target apart
};

class Answers {
 public:
  struct Column {
    std::string name;
    bool place = false;  // of the target, which has the digits of its answer; others have nine
  };

  // InputError for what the target, being a number or a class, has no answer to. The fit must outlive it.
  Answers(const FittedModel& fitted, AnswerOptions options);

  // Of numbers: mean,sd,lower,upper,... or p_LABEL,... behind the class.
  const std::vector<Column>& columns() const { return columns_; }
  // May be called from several threads. Values are not finite where the networks give none.
  Answer answer(const RowPrediction& row) const;

 private:
  void add_number_columns();
  void add_class_columns(const std::vector<std::string>& labels);
  void choose_draws(std::size_t draws, std::uint64_t seed);
  void add_quantiles(const RowPrediction& row, std::vector<double>& values) const;
  void add_samples(const RowPrediction& row, std::vector<double>& values) const;

  AnswerOptions options_;
  std::vector<Column> columns_;
  std::vector<std::size_t> ascending_;  // places of the quantiles by their levels
  std::vector<std::size_t> draws_;      // of each sample, the same for all rows
  std::uint64_t seed_ = 0;
  std::size_t draw_count_ = 0;
};

}  // namespace mbnn
