#include "mbnn/series/rolling_origin.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "mbnn/core/error.h"
#include "mbnn/judge/mixture.h"
#include "mbnn/series/forecast.h"
#include "mbnn/series/series_problem.h"

namespace mbnn {

namespace {

constexpr std::size_t kLeastRows = 10;  // with a target, to fit

// Rows [first, last), which stand in the file where they stood.
Table slice(const Table& table, std::size_t first, std::size_t last) {
  Table part;
  part.path = table.path;
  part.header = table.header;
  part.rows = last - first;
  for (const auto& run : table.line_runs) {
    if (run.row >= last) break;
    if (run.row <= first)
      part.line_runs = {{0, run.line + (first - run.row)}};
    else
      part.line_runs.push_back({run.row - first, run.line});
  }
  const auto cut = [&](auto& to, const auto& from) {
    if (!from.empty())
      to.assign(from.begin() + static_cast<std::ptrdiff_t>(first), from.begin() + static_cast<std::ptrdiff_t>(last));
  };
  for (const Column& column : table.columns) {
    Column& kept = part.columns.emplace_back(column.name, column.kind);
    cut(kept.numbers, column.numbers);
    cut(kept.codes, column.codes);
    kept.levels = column.levels;
    kept.form = column.form;
    kept.digits = column.digits;
  }
  return part;
}

// The forecast that costs nothing: what was there a season ago.
class Naive {
 public:
  explicit Naive(const FittedSeries& fitted) : steps_(fitted.data.steps) {
    for (const Season& season : fitted.options.seasons)
      if (const auto steps = static_cast<std::int64_t>(std::llround(season.period)); season_ == 1 || steps < season_)
        season_ = steps;
    const Encoding& encoding = fitted.regression.encoding;
    for (std::size_t i = 0; i < fitted.data.times.size(); ++i)
      values_[fitted.data.times[i]] =
          encoding.target_mean() + encoding.target_sd() * static_cast<double>(fitted.data.rows.y[i]);
  }

  double forecast(std::int64_t step) const {
    step -= season_ * ((step - steps_) / season_ + 1);
    for (; step >= 0; step -= season_)
      if (const auto found = values_.find(step); found != values_.end()) return found->second;
    return NAN;
  }

  double scale() const {
    double sum = 0;
    std::size_t pairs = 0;
    for (const auto& [step, value] : values_)
      if (const auto before = values_.find(step - season_); before != values_.end()) {
        sum += std::abs(value - before->second);
        ++pairs;
      }
    return pairs > 0 ? sum / static_cast<double>(pairs) : NAN;
  }

 private:
  std::int64_t steps_, season_ = 1;
  std::map<std::int64_t, double> values_;
};

struct Fold {
  std::size_t training, end;  // rows before these
  std::int64_t origin;        // the last step of the training
};

std::vector<Fold> folds_of(const Table& table, const Column& target, const std::vector<std::int64_t>& times,
                           const RollingOptions& rolling) {
  std::vector<std::size_t> observed;
  for (std::size_t row = 0; row < table.rows; ++row)
    if (!target.missing(row)) observed.push_back(row);
  if (observed.empty()) throw InputError(fmt::format("{}: no row has a target", table.path));
  const auto horizon = static_cast<std::int64_t>(rolling.horizon);
  const auto between = rolling.between > 0 ? static_cast<std::int64_t>(rolling.between) : horizon;
  const auto rows_until = [&](std::int64_t step) {
    return static_cast<std::size_t>(std::ranges::upper_bound(times, step) - times.begin());
  };
  std::vector<Fold> folds;
  for (std::size_t k = 0; k < rolling.folds; ++k) {
    const std::int64_t origin =
        times[observed.back()] - horizon - static_cast<std::int64_t>(rolling.folds - 1 - k) * between;
    folds.push_back({rows_until(origin), rows_until(origin + horizon), origin});
  }
  const auto trained =
      static_cast<std::size_t>(std::ranges::lower_bound(observed, folds[0].training) - observed.begin());
  if (trained < kLeastRows)
    throw OptionError("folds",
                      fmt::format(" = {}: {} of {} steps, {} steps apart, leave {} targets to train the first; "
                                  "at least {} are needed",
                                  rolling.folds, rolling.folds, horizon, between, trained, kLeastRows));
  return folds;
}

}  // namespace

std::vector<RollingForecast> rolling_forecasts(SeriesConfiguration c, const Table& table, const RollingOptions& rolling,
                                               const RunOptions& options,
                                               const std::function<void(std::size_t, const std::string&)>& begin,
                                               std::vector<std::string>& notes) {
  if (c.train_rows || c.train_until)
    throw OptionError(c.train_rows ? "train-rows" : "train-until", ": each fold has training rows of its own");
  c.settle();
  const Column& date = find_column(table, c.date, "the date");
  const Column& target = find_column(table, c.base.encoding.target, "the target");
  std::vector<std::string> said;
  const std::vector<std::int64_t> times = TimeAxis::learn(table, date, said).steps(table, date);
  std::vector<RollingForecast> forecasts;
  const std::vector<Fold> folds = folds_of(table, target, times, rolling);
  for (std::size_t k = 0; k < folds.size(); ++k) {
    const Fold& fold = folds[k];
    std::vector<std::string>& told = k == 0 ? notes : said;
    SeriesConfiguration own = c;
    const PreparedSeries prepared = prepare_series(own, slice(table, 0, fold.training), told);
    own.settle_lengths(prepared.structure);
    const std::string origin = prepared.axis.date(prepared.data.steps - 1);
    if (begin) begin(k, origin);
    const FittedSeries fitted = sample_series(own, prepared, options);
    if (options.stop.stop_requested()) break;
    if (fold.end == fold.training) continue;  // a gap
    const SeriesRows rows =
        read_series_rows(fitted, slice(table, fold.training, fold.end), TargetColumn::required, said);
    const Naive naive(fitted);
    const double scale = naive.scale(), tail = (1 - rolling.level) / 2;
    const Encoding& encoding = fitted.regression.encoding;
    SeriesForecaster(fitted).for_each_row(rows, ForecastMode::forecast, [&](const SeriesPrediction& p) {
      if (std::isnan(rows.targets[p.row])) return;
      const auto& [means, sds] = p.target;
      RollingForecast f{k, static_cast<std::size_t>(times[fold.training + p.row] - fold.origin), origin,
                        rows.dates[p.row]};
      f.actual = encoding.target_mean() + encoding.target_sd() * rows.targets[p.row];
      f.mean = mixture_mean(means, sds);
      f.median = mixture_quantile(0.5, means, sds);
      f.lower = mixture_quantile(tail, means, sds);
      f.upper = mixture_quantile(1 - tail, means, sds);
      f.crps = mixture_crps(f.actual, means, sds);
      f.naive = naive.forecast(rows.times[p.row]);
      f.scale = scale;
      forecasts.push_back(std::move(f));
    });
  }
  return forecasts;
}

RollingScores score(const std::vector<RollingForecast>& forecasts) {
  RollingScores s;
  double scaled = 0, compared = 0, naive = 0;
  std::size_t with_scale = 0;
  for (const RollingForecast& f : forecasts) {
    const double error = f.actual - f.mean, absolute = std::abs(f.actual - f.median);
    ++s.n;
    s.rmse += error * error;
    s.mae += absolute;
    s.crps += f.crps;
    s.coverage += f.lower <= f.actual && f.actual <= f.upper;
    if (f.scale > 0) {
      scaled += absolute / f.scale;
      ++with_scale;
    }
    if (std::isnan(f.naive)) continue;
    compared += absolute;
    naive += std::abs(f.actual - f.naive);
  }
  const auto n = static_cast<double>(s.n);
  s.rmse = std::sqrt(s.rmse / n);
  s.mae /= n;
  s.crps /= n;
  s.coverage /= n;
  s.mase = with_scale > 0 ? scaled / static_cast<double>(with_scale) : NAN;
  s.skill = naive > 0 ? 1 - compared / naive : NAN;
  return s;
}

std::vector<RollingScores> score_by_lead(const std::vector<RollingForecast>& forecasts) {
  std::vector<std::vector<RollingForecast>> by_lead;
  for (const RollingForecast& f : forecasts) {
    if (by_lead.size() < f.lead) by_lead.resize(f.lead);
    by_lead[f.lead - 1].push_back(f);
  }
  std::vector<RollingScores> scores;
  for (const auto& same : by_lead) scores.push_back(score(same));
  return scores;
}

}  // namespace mbnn
