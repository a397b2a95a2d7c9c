#include "mbnn/series/fitted_series.h"

#include <cmath>

#include "mbnn/core/error.h"
#include "mbnn/core/known_names.h"
#include "mbnn/series/series_problem.h"
#include "mbnn/store/content.h"
#include "mbnn/tables/columns/row_selection.h"

namespace mbnn {

FittedSeries FittedSeries::read(const FitFile& file) {
  return read_content(file.path(), [&] {
    FittedSeries fitted = SeriesProblem::open(file).without_draws();
    fitted.regression = FittedModel::read(file);
    fitted.read_parameters();
    return fitted;
  });
}

void FittedSeries::read_parameters() {
  const std::size_t own = series_trace_names(options).size();
  parameters.clear();
  for (std::size_t c = 0; c < regression.draws.size(); ++c)
    for (std::size_t i = 0; i < regression.draws[c].size(); ++i) {
      const auto& traces = regression.traces[c][i];
      require_content(traces.size() >= own, "a draw lacks its variances");
      parameters.push_back(
          parameters_from_traces(options, std::span(traces).last(own), regression.draws[c][i].noise_variance));
    }
}

std::vector<const State*> FittedSeries::draws() const {
  std::vector<const State*> all;
  for (const auto& chain : regression.draws)
    for (const State& state : chain) all.push_back(&state);
  return all;
}

SeriesRows read_series_rows(const FittedSeries& fitted, Table table, TargetColumn needs,
                            std::vector<std::string>& notes) {
  const Encoding& encoding = fitted.regression.encoding;
  const Column& date = find_column(table, fitted.date, "the date");
  SeriesRows rows;
  rows.times = fitted.axis.steps(table, date);
  for (std::size_t row = 0; row < table.rows; ++row) rows.dates.push_back(date.text(row));
  rows.targets.assign(table.rows, NAN);
  if (needs == TargetColumn::required) find_column(table, encoding.target(), "the target");
  if (const Column* target = table.find(encoding.target())) {
    const NumberCells number(table, *target, "expected numbers as in the training table");
    for (std::size_t row = 0; row < table.rows; ++row)
      rows.targets[row] = (number(row) - encoding.target_mean()) / encoding.target_sd();
  }
  rows.inputs = encoding.encode(std::move(table), Encoding::Needs::inputs, notes);
  return rows;
}

}  // namespace mbnn
