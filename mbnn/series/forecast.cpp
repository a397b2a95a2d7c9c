#include "mbnn/series/forecast.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mbnn/core/error.h"

namespace mbnn {

namespace {

constexpr std::size_t kBlock = 256;  // rows in memory at a time, for all draws

Batch rows_of(const Dataset& data, std::size_t first, std::size_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), first);
  Batch batch;
  batch.gather(data, rows);
  return batch;
}

SeriesPrediction empty_prediction(std::size_t row, std::size_t draws, std::size_t components) {
  SeriesPrediction p;
  p.row = row;
  p.target.means.resize(draws);
  p.target.sds.resize(draws);
  p.components.assign(components, p.target);
  p.regression.resize(draws);
  return p;
}

double root(double variance) { return std::sqrt(std::max(variance, 0.0)); }

}  // namespace

SeriesForecaster::SeriesForecaster(const FittedSeries& fitted)
    : fitted_(&fitted), draws_(fitted.draws()), training_(Batch::all(fitted.data.rows)) {
  if (draws_.empty()) throw InputError("the fit has no draws yet: it must go on first");
  for (const SeriesParameters& p : fitted.parameters) spaces_.emplace_back(fitted.options, p);
  for (const State* draw : draws_) {
    const std::vector<double> f = regression_values(fitted.regression.model, *draw, training_);
    offsets_.push_back(std::accumulate(f.begin(), f.end(), 0.0) / static_cast<double>(f.size()));
  }
}

// Stands at the first step after the training period.
Belief SeriesForecaster::after_training(const StateSpace& space, const State& draw) const {
  const std::vector<double> f = regression_values(fitted_->regression.model, draw, training_);
  Belief belief(space);
  std::size_t row = 0;
  for (std::int64_t t = 0; t < fitted_->data.steps; ++t) {
    if (row < f.size() && fitted_->data.times[row] == t) {
      belief.observe(static_cast<double>(fitted_->data.rows.y[row]) - f[row]);
      ++row;
    }
    belief.advance();
  }
  return belief;
}

void SeriesForecaster::for_each_row(const SeriesRows& rows, ForecastMode mode,
                                    const std::function<void(const SeriesPrediction&)>& visit) const {
  const Encoding& encoding = fitted_->regression.encoding;
  const double unit = encoding.target_sd(), centre = encoding.target_mean();
  const std::size_t count = draws_.size(), components = spaces_[0].components();
  std::vector<Belief> beliefs;
  for (std::size_t d = 0; d < count; ++d) beliefs.push_back(after_training(spaces_[d], *draws_[d]));
  std::vector<std::int64_t> now(count, fitted_->data.steps);
  std::size_t first = static_cast<std::size_t>(
      std::lower_bound(rows.times.begin(), rows.times.end(), fitted_->data.steps) - rows.times.begin());
  for (; first < rows.times.size(); first += kBlock) {
    const std::size_t size = std::min(kBlock, rows.times.size() - first);
    const Batch batch = rows_of(rows.inputs, first, size);
    std::vector<SeriesPrediction> block;
    for (std::size_t i = 0; i < size; ++i) block.push_back(empty_prediction(first + i, count, components));
    for (std::size_t d = 0; d < count; ++d) {
      const std::vector<double> f = regression_values(fitted_->regression.model, *draws_[d], batch);
      Belief& belief = beliefs[d];
      for (std::size_t i = 0; i < size; ++i) {
        for (; now[d] < rows.times[first + i]; ++now[d]) belief.advance();
        SeriesPrediction& p = block[i];
        p.target.means[d] = centre + unit * (belief.signal() + f[i]);
        p.target.sds[d] = unit * root(belief.signal_variance() + spaces_[d].noise());
        for (std::size_t c = 0; c < components; ++c) {
          p.components[c].means[d] = (c == 0 ? centre + unit * offsets_[d] : 0) + unit * belief.component(c);
          p.components[c].sds[d] = unit * root(belief.component_variance(c));
        }
        p.regression[d] = unit * (f[i] - offsets_[d]);
        const double y = rows.targets[first + i];
        if (mode == ForecastMode::nowcast && !std::isnan(y)) belief.observe(y - f[i]);
      }
    }
    for (const SeriesPrediction& p : block) visit(p);
  }
}

void SeriesForecaster::for_each_training_row(const SeriesRows& rows,
                                             const std::function<void(const SeriesPrediction&)>& visit) const {
  const Encoding& encoding = fitted_->regression.encoding;
  const double unit = encoding.target_sd(), centre = encoding.target_mean();
  const std::size_t count = draws_.size(), components = spaces_[0].components();
  const auto begin =
      static_cast<std::size_t>(std::lower_bound(rows.times.begin(), rows.times.end(), 0) - rows.times.begin());
  const auto end = static_cast<std::size_t>(
      std::lower_bound(rows.times.begin(), rows.times.end(), fitted_->data.steps) - rows.times.begin());
  if (begin == end) return;
  const Batch batch = rows_of(rows.inputs, begin, end - begin);
  std::vector<SeriesPrediction> all;
  for (std::size_t row = begin; row < end; ++row) all.push_back(empty_prediction(row, count, components));
  for (std::size_t d = 0; d < count; ++d) {
    std::vector<double> rest = regression_values(fitted_->regression.model, *draws_[d], training_);
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = fitted_->data.rows.y[i] - rest[i];
    const Smoothed smoothed = smooth_components(spaces_[d], on_time_axis(fitted_->data, rest));
    const std::vector<double> f = regression_values(fitted_->regression.model, *draws_[d], batch);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto t = static_cast<std::size_t>(rows.times[begin + i]);
      SeriesPrediction& p = all[i];
      p.target.means[d] = centre + unit * (smoothed.signal_mean[t] + f[i]);
      p.target.sds[d] = unit * root(smoothed.signal_variance[t] + spaces_[d].noise());
      for (std::size_t c = 0; c < components; ++c) {
        p.components[c].means[d] =
            (c == 0 ? centre + unit * offsets_[d] : 0) + unit * smoothed.mean[t * components + c];
        p.components[c].sds[d] = unit * root(smoothed.variance[t * components + c]);
      }
      p.regression[d] = unit * (f[i] - offsets_[d]);
    }
  }
  for (const SeriesPrediction& p : all) visit(p);
}

// With C the sum of the counterfactual so far and k = Cov(state, C), one more step adds Z a + noise to C:
// Var(C) grows by Z P Z' + noise + 2 Z k, then k by P Z', and k moves with the states.
void SeriesForecaster::for_each_effect(const SeriesRows& rows, std::int64_t from,
                                       const std::function<void(const Effect&)>& visit) const {
  const std::int64_t end = fitted_->data.steps;
  if (from < end)
    throw OptionError(
        "from", fmt::format(": the fit was trained on {} steps from there on; fit again with train-until before it",
                            end - from));
  const Encoding& encoding = fitted_->regression.encoding;
  const double unit = encoding.target_sd(), centre = encoding.target_mean();
  const std::size_t count = draws_.size(), m = spaces_[0].states();
  const auto first =
      static_cast<std::size_t>(std::lower_bound(rows.times.begin(), rows.times.end(), end) - rows.times.begin());
  if (first == rows.times.size() || rows.times.back() < from)
    throw OptionError("from", ": the table has no rows from there on");
  const std::size_t size = rows.times.size() - first;
  const Batch batch = rows_of(rows.inputs, first, size);
  std::vector<Effect> effects;
  for (std::size_t i = 0; i < size; ++i) {
    const SeriesPrediction empty = empty_prediction(first + i, count, 0);
    effects.push_back({first + i, centre + unit * rows.targets[first + i], empty.target, empty.target});
  }
  for (std::size_t d = 0; d < count; ++d) {
    const StateSpace& space = spaces_[d];
    const std::vector<double> f = regression_values(fitted_->regression.model, *draws_[d], batch);
    Belief belief = after_training(space, *draws_[d]);
    std::int64_t now = end;
    std::vector<double> k(m, 0.0);
    double effect = 0, variance = 0;
    for (std::size_t i = 0; i < size; ++i) {
      for (; now < rows.times[first + i]; ++now) {
        belief.advance();
        space.advance(k.data());
      }
      const double y = rows.targets[first + i];
      Effect& e = effects[i];
      e.counterfactual.means[d] = centre + unit * (belief.signal() + f[i]);
      e.counterfactual.sds[d] = unit * root(belief.signal_variance() + space.noise());
      if (now < from) {
        if (!std::isnan(y)) belief.observe(y - f[i]);
        continue;
      }
      if (!std::isnan(y)) {
        effect += y - f[i] - belief.signal();
        variance += belief.signal_variance() + space.noise() + 2 * space.observe(k.data());
        const std::vector<double> with = belief.signal_covariance();
        for (std::size_t j = 0; j < m; ++j) k[j] += with[j];
      }
      e.cumulative.means[d] = unit * effect;
      e.cumulative.sds[d] = unit * root(variance);
    }
  }
  for (std::size_t i = 0; i < size; ++i)
    if (rows.times[first + i] >= from) visit(effects[i]);
}

std::vector<std::vector<double>> SeriesForecaster::next_step(const Dataset& rows) const {
  const Batch batch = Batch::all(rows);
  std::vector<std::vector<double>> values;
  for (std::size_t d = 0; d < draws_.size(); ++d) {
    values.push_back(regression_values(fitted_->regression.model, *draws_[d], batch));
    const double signal = after_training(spaces_[d], *draws_[d]).signal();
    for (double& value : values.back()) value += signal;
  }
  return values;
}

SeriesScores evaluate_series(const FittedSeries& fitted, const SeriesRows& rows, double level) {
  const SeriesForecaster forecaster(fitted);
  const Encoding& encoding = fitted.regression.encoding;
  const auto scores_of = [&](ForecastMode mode) {
    RegressionAccumulator sums;
    forecaster.for_each_row(rows, mode, [&](const SeriesPrediction& p) {
      if (!std::isnan(rows.targets[p.row]))
        sums.add(score(encoding.target_mean() + encoding.target_sd() * rows.targets[p.row], p.target.means,
                       p.target.sds, level));
    });
    return sums.result();
  };
  return {scores_of(ForecastMode::forecast), scores_of(ForecastMode::nowcast)};
}

}  // namespace mbnn
