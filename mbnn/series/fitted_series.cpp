#include "mbnn/series/fitted_series.h"

#include <algorithm>
#include <cmath>

#include "mbnn/core/error.h"
#include "mbnn/core/known_names.h"
#include "mbnn/series/series_problem.h"
#include "mbnn/tables/columns/row_selection.h"

namespace mbnn {

FittedSeries FittedSeries::read(const FitFile& file) {
  FittedSeries fitted = SeriesProblem::open(file).without_draws();
  fitted.regression = FittedModel::read(file);
  try {
    fitted.read_parameters();
  } catch (const Error& error) {
    throw Error(fmt::format("{} is damaged: {}", file.path(), error.what()));
  }
  return fitted;
}

void FittedSeries::read_parameters() {
  const std::size_t own = series_trace_names(options).size();
  parameters.clear();
  for (std::size_t c = 0; c < regression.draws.size(); ++c)
    for (std::size_t i = 0; i < regression.draws[c].size(); ++i) {
      const auto& traces = regression.traces[c][i];
      if (traces.size() < own) throw Error("a draw lacks its variances");
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

namespace {

// A year that was mistyped, rather than a forecast: each step costs time for each draw.
constexpr std::int64_t kFurthest = 1000;  // steps, or ten times those of the training

void refuse_far_step(const FittedSeries& fitted, std::int64_t step, const std::string& what) {
  const std::int64_t steps = fitted.data.steps, ahead = step - steps + 1, most = std::max(10 * steps, kFurthest);
  if (ahead > most)
    throw InputError(
        fmt::format("{} is {} steps of {} after the training period, which ends with {}; at most {} can be predicted",
                    what, ahead, fitted.axis.step_name(), fitted.axis.date(steps - 1), most));
}

}  // namespace

SeriesRows read_series_rows(const FittedSeries& fitted, Table table, TargetColumn needs,
                            std::vector<std::string>& notes) {
  const Encoding& encoding = fitted.regression.encoding;
  const Column& date = find_column(table, fitted.date, "the date");
  SeriesRows rows;
  rows.times = fitted.axis.steps(table, date);
  for (std::size_t row = 0; row < table.rows; ++row) rows.dates.push_back(date.text(row));
  refuse_far_step(fitted, rows.times.back(),
                  fmt::format("{}: '{}'", table.place(table.rows - 1, date.name), rows.dates.back()));
  rows.targets.assign(table.rows, NAN);
  if (needs == TargetColumn::required) find_column(table, encoding.target(), "the target");
  if (const Column* target = table.find(encoding.target())) {
    const NumberCells number = encoding.target_numbers(table, *target);
    for (std::size_t row = 0; row < table.rows; ++row)
      rows.targets[row] = (number(row) - encoding.target_mean()) / encoding.target_sd();
  }
  rows.inputs = encoding.encode(std::move(table), Encoding::Needs::inputs, notes);
  return rows;
}

SeriesRows training_rows(const FittedSeries& fitted) {
  SeriesRows rows{fitted.data.rows, fitted.data.times, {}, {}};
  rows.targets.assign(rows.inputs.y.begin(), rows.inputs.y.end());
  rows.inputs.y.clear();
  for (const std::int64_t time : rows.times) rows.dates.push_back(fitted.axis.date(time));
  return rows;
}

SeriesRows next_rows(const FittedSeries& fitted, std::size_t steps, RegressorForecast regressors) {
  refuse_far_step(fitted, fitted.data.steps + static_cast<std::int64_t>(steps) - 1,
                  fmt::format("the last of {} steps", steps));
  const Dataset& training = fitted.data.rows;
  const std::size_t inputs = training.inputs;
  std::vector<float> stand_in(inputs, 0.0f);
  if (regressors == RegressorForecast::last)
    std::copy_n(training.x.end() - static_cast<std::ptrdiff_t>(inputs), inputs, stand_in.begin());
  if (regressors == RegressorForecast::mean)
    for (std::size_t k = 0; k < inputs; ++k) {
      double sum = 0;
      for (std::size_t row = 0; row < training.rows; ++row) sum += training.x[row * inputs + k];
      stand_in[k] = static_cast<float>(sum / static_cast<double>(training.rows));
    }
  SeriesRows rows;
  rows.inputs = {steps, inputs, {}, {}, {}};
  rows.targets.assign(steps, NAN);
  std::size_t known = 0, unknown = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    const std::int64_t time = fitted.data.steps + static_cast<std::int64_t>(i);
    rows.times.push_back(time);
    rows.dates.push_back(fitted.axis.date(time));
    while (known < fitted.future.times.size() && fitted.future.times[known] < time) ++known;
    const bool has = known < fitted.future.times.size() && fitted.future.times[known] == time;
    const float* x = has ? fitted.future.inputs.x.data() + known * inputs : stand_in.data();
    rows.inputs.x.insert(rows.inputs.x.end(), x, x + inputs);
    unknown += !has;
  }
  if (inputs > 0 && unknown > 0 && regressors == RegressorForecast::none)
    throw OptionError("horizon",
                      fmt::format(" = {}: the fit has regressors ({}), whose values are needed for {} of these steps: "
                                  "give a table that has them, or regressor-forecast last or mean",
                                  steps, list_names(fitted.regression.encoding.input_names(), 10), unknown));
  return rows;
}

SeriesRows joined(SeriesRows first, const SeriesRows& second) {
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(first.inputs.x, second.inputs.x);
  append(first.times, second.times);
  append(first.targets, second.targets);
  append(first.dates, second.dates);
  first.inputs.rows += second.inputs.rows;
  return first;
}

}  // namespace mbnn
