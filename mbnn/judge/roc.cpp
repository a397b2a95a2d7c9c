#include "mbnn/judge/roc.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mbnn {

// The Mann-Whitney statistic: ranks of the positive rows, the mean rank for those of equal score.
double area_under_roc(std::vector<RankedRow> rows) {
  if (std::ranges::any_of(rows, [](const RankedRow& row) { return std::isnan(row.score); }))
    return std::numeric_limits<double>::quiet_NaN();
  std::ranges::sort(rows, {}, &RankedRow::score);
  double rank_sum = 0, positives = 0;
  for (std::size_t begin = 0, end; begin < rows.size(); begin = end) {
    end = begin;
    double here = 0;
    while (end < rows.size() && rows[end].score == rows[begin].score) here += rows[end++].positive;
    rank_sum += here * (static_cast<double>(begin + end) + 1) / 2;
    positives += here;
  }
  const double negatives = static_cast<double>(rows.size()) - positives;
  return (rank_sum - positives * (positives + 1) / 2) / (positives * negatives);  // 0 / 0 without either
}

double area_under_roc(std::span<const double> probabilities, std::span<const std::size_t> labels, std::size_t classes) {
  double sum = 0, count = 0;
  for (std::size_t k = classes == 2 ? 1 : 0; k < classes; ++k) {
    std::vector<RankedRow> rows;
    for (std::size_t i = 0; i < labels.size(); ++i) rows.push_back({probabilities[i * classes + k], labels[i] == k});
    const double area = area_under_roc(std::move(rows));
    if (std::isnan(area)) continue;
    sum += area;
    ++count;
  }
  return sum / count;
}

}  // namespace mbnn
