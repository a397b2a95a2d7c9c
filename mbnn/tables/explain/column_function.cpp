#include "mbnn/tables/explain/column_function.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mbnn/core/error.h"
#include "mbnn/core/parallel.h"
#include "mbnn/tables/training_rows.h"

namespace mbnn {

Band band_of(std::vector<double> values, double level) {
  require(!values.empty(), "number of draws", values.size(), "must be at least 1");
  std::ranges::sort(values);
  const auto quantile = [&](double p) {
    const double at = p * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
  };
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {sum / static_cast<double>(values.size()), quantile((1 - level) / 2), quantile((1 + level) / 2)};
}

std::vector<std::size_t> sampled_rows(std::size_t rows, std::size_t most, Rng& rng) {
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (rows <= most) return order;
  for (std::size_t i = 0; i < most; ++i) std::swap(order[i], order[i + rng.below(rows - i)]);
  order.resize(most);
  std::ranges::sort(order);
  return order;
}

ColumnFunction::ColumnFunction(const FittedModel& fitted, std::size_t label, std::size_t threads)
    : fitted_(&fitted),
      predictive_(fitted),
      columns_(fitted.encoding.input_columns()),
      label_(label),
      threads_(std::max<std::size_t>(1, threads)) {
  require(fitted.encoding.task() == Task::regression || label < fitted.encoding.classes(), "class", label,
          "must be one of the classes");
}

namespace {

std::span<const float> inputs_of(const Dataset& data, std::size_t row) {
  return std::span(data.x).subspan(row * data.inputs, data.inputs);
}

}  // namespace

std::string ColumnFunction::cell(std::size_t column, const Dataset& data, std::size_t row) const {
  return fitted_->encoding.cell_text(column, inputs_of(data, row));
}

bool ColumnFunction::missing(std::size_t column, const Dataset& data, std::size_t row) const {
  return fitted_->encoding.cell_missing(column, inputs_of(data, row));
}

void ColumnFunction::put(std::size_t column, const Dataset& from, std::size_t from_row, Dataset& to,
                         std::size_t row) const {
  const Encoding::InputColumn& place = columns_[column];
  std::copy_n(from.x.data() + from_row * from.inputs + place.first, place.count,
              to.x.data() + row * to.inputs + place.first);
}

// Parts of the rows on threads; each row's values do not depend on the others.
std::vector<std::vector<double>> ColumnFunction::by_draw(const Dataset& data) const {
  const Encoding& encoding = fitted_->encoding;
  const bool regression = encoding.task() == Task::regression;
  std::vector<std::vector<double>> values(fitted_->draw_count(), std::vector<double>(data.rows));
  const std::size_t parts = std::min(data.rows, 4 * threads_);
  for_each_index(parts, threads_, [&](std::size_t part) {
    const std::size_t begin = data.rows * part / parts, rows = data.rows * (part + 1) / parts - begin;
    std::vector<std::size_t> listed(rows);
    std::iota(listed.begin(), listed.end(), begin);
    const Dataset piece = subset(data, listed);
    const auto found = regression ? predictive_.function_values(piece) : predictive_.probabilities(piece);
    const bool one_kept = !regression && encoding.classes() == 2;  // the second class
    const std::size_t first = regression || one_kept ? 0 : label_ * rows;
    for (std::size_t i = 0; i < values.size(); ++i)
      for (std::size_t r = 0; r < rows; ++r) {
        const double v = found[i][first + r];
        values[i][begin + r] = regression                ? encoding.target_mean() + encoding.target_sd() * v
                               : one_kept && label_ == 0 ? 1 - v
                                                         : v;
      }
  });
  return values;
}

}  // namespace mbnn
