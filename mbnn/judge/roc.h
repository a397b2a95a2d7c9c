// Whether rows of a class were given more probability of it than others: the area under the ROC curve.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mbnn {

struct RankedRow {
  double score;
  bool positive;
};
// The probability that a positive row has a larger score than a negative one, ties counted half. NaN if there are none
// of either, or a score is NaN.
double area_under_roc(std::vector<RankedRow> rows);

// Two classes: of the second one. More: the mean, over the classes that some rows have and others not, of each against
// the rest. `probabilities` are by row, then class.
double area_under_roc(std::span<const double> probabilities, std::span<const std::size_t> labels, std::size_t classes);

}  // namespace mbnn
