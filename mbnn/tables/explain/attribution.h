// What moved the prediction of one row: Shapley values of its columns, which add up to prediction minus mean.
#pragma once

#include "mbnn/tables/explain/column_function.h"

namespace mbnn {

struct ColumnShare {
  std::size_t column;
  std::string cell;
  Band value;    // over draws; the values of all columns add up
  double error;  // standard error of its mean, from the orders and background rows that were drawn
};
struct Attribution {
  double prediction;                // mean over draws
  double mean;                      // that of the background rows
  std::vector<ColumnShare> shares;  // the largest first
};

// A column's value is what its cell changes when it joins those that already have the row's, the others having a
// background row's; a mean over orders in which columns join and over all rows of `background`. Orders depend on the
// seed alone. Each is used backwards, too.
Attribution attribution(const ColumnFunction& function, const Dataset& data, std::size_t row, const Dataset& background,
                        double level, std::uint64_t seed);

}  // namespace mbnn
