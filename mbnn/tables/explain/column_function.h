// A fit as a function of the columns of a table: its prediction, by draw, where some cells are replaced by others.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mbnn/tables/predictive.h"

namespace mbnn {

// A mean over draws, and the bounds of a central share of them.
struct Band {
  double mean, lower, upper;
};
Band band_of(std::vector<double> values, double level);

// Rows of `data` at most, chosen by the seed, in the order of the table.
std::vector<std::size_t> sampled_rows(std::size_t rows, std::size_t most, Rng& rng);

class ColumnFunction {
 public:
  // The prediction is the function's value in units of the target, without noise; of classes, the probability of
  // `label`. The fit must outlive it.
  ColumnFunction(const FittedModel& fitted, std::size_t label, std::size_t threads);

  const FittedModel& fitted() const { return *fitted_; }
  const std::vector<Encoding::InputColumn>& columns() const { return columns_; }
  std::size_t threads() const { return threads_; }
  std::string cell(std::size_t column, const Dataset& data, std::size_t row) const;
  bool missing(std::size_t column, const Dataset& data, std::size_t row) const;

  // Puts the cell of one row into another: all inputs that were made of the column.
  void put(std::size_t column, const Dataset& from, std::size_t from_row, Dataset& to, std::size_t row) const;

  std::vector<std::vector<double>> by_draw(const Dataset& data) const;  // [draw][row]

 private:
  const FittedModel* fitted_;
  Predictive predictive_;
  std::vector<Encoding::InputColumn> columns_;
  std::size_t label_, threads_;
};

}  // namespace mbnn
