// Forecasts stand at their own time: against the dense normal, on a series that is known exactly, and when targets that
// must not be seen are changed.
#include "mbnn/series/forecast.h"
#include "mbnn/series/series_problem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mbnn/core/error.h"
#include "tests/support/dense_series.h"
#include "tests/support/fit_files.h"
#include "tests/support/temporary_directory.h"

namespace mbnn {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Row i stands at times[i]; the first `training` rows are for training.
struct Case {
  SeriesConfiguration configuration;
  std::vector<std::int64_t> times;
  std::vector<double> x, y;
  std::size_t training = 0;
  PreparedSeries prepared;
  SeriesRows rows;

  void prepare() {
    Table table;
    table.path = "t.csv";
    table.rows = times.size();
    Column date{"date", ColumnKind::numeric, {}, {}, {}}, input{"x", ColumnKind::numeric, x, {}, {}},
        target{"y", ColumnKind::numeric, y, {}, {}};
    for (auto t : times) date.numbers.push_back(static_cast<double>(t));
    table.columns = {date, input, target};
    configuration.base.encoding.target = "y";
    configuration.date = "date";
    configuration.train_rows = training;
    configuration.settle();
    std::vector<std::string> notes;
    prepared = prepare_series(configuration, table, notes);
  }
  FittedSeries fit() {
    prepare();
    FittedSeries fitted = sample_series(configuration, prepared, {.threads = 1, .report = {}, .stop = {}});
    rows = read(fitted, y);
    return fitted;
  }
  SeriesRows read(const FittedSeries& fitted, const std::vector<double>& targets) const {
    Table table;
    table.path = "t.csv";
    table.rows = times.size();
    Column date{"date", ColumnKind::numeric, {}, {}, {}}, input{"x", ColumnKind::numeric, x, {}, {}},
        target{"y", ColumnKind::numeric, targets, {}, {}};
    for (auto t : times) date.numbers.push_back(static_cast<double>(t));
    table.columns = {date, input, target};
    std::vector<std::string> notes;
    return read_series_rows(fitted, table, TargetColumn::optional, notes);
  }
};

// Gaps in the training period, between it and the later rows, and within these; missing targets in both.
Case irregular() {
  Case c;
  c.configuration.series.trend = Trend::damped;
  c.configuration.series.learn_damping = true;
  c.configuration.series.seasons = {3};
  c.configuration.series.regression = Regression::linear;
  c.configuration.base.chains = 2;
  c.configuration.base.chain.warmup = 5;
  c.configuration.base.chain.draws = 3;
  c.configuration.base.chain.thin = 2;
  c.times = {0, 1, 2, 4, 5, 6, 7, 8, 11, 12, 15, 16, 17, 20, 21};
  c.training = 10;
  Rng rng(4, 1);
  for (std::size_t i = 0; i < c.times.size(); ++i) {
    c.x.push_back(rng.normal());
    c.y.push_back(20 + 3 * c.x[i] + 2 * rng.normal() + (c.times[i] % 3 == 0 ? 4 : 0));
  }
  c.y[4] = c.y[11] = kMissing;
  return c;
}

struct Moments {
  double mean, variance;
};

// Signal and noise at step t for one draw, given the rows whose number `seen` allows.
template <class Seen>
Moments exact(const Case& c, const FittedSeries& fitted, std::size_t draw, std::int64_t t, Seen seen) {
  const State& state = *fitted.draws()[draw];
  const Encoding& encoding = fitted.regression.encoding;
  std::vector<double> series(static_cast<std::size_t>(c.times.back()) + 1, kMissing);
  double f_here = 0;
  for (std::size_t i = 0; i < c.times.size(); ++i) {
    // What the regression says of this row, by hand: x is scaled as the encoding was taught.
    const double f = static_cast<double>(state.weights[0]) * static_cast<double>(c.rows.inputs.x[i]) +
                     static_cast<double>(state.weights[1]);
    if (c.times[i] == t) f_here = f;
    if (seen(i) && !std::isnan(c.y[i]))
      series[static_cast<std::size_t>(c.times[i])] = (c.y[i] - encoding.target_mean()) / encoding.target_sd() - f;
  }
  const auto p = dense::posterior(fitted.options, fitted.parameters[draw], series);
  double mean = f_here, variance = fitted.parameters[draw].noise;
  for (std::size_t e : p.entries) {
    const std::size_t at = static_cast<std::size_t>(t) * p.states;
    mean += p.mean[at + e];
    for (std::size_t g : p.entries) variance += p.covariance[at + e][at + g];
  }
  return {encoding.target_mean() + encoding.target_sd() * mean, encoding.target_sd() * encoding.target_sd() * variance};
}

// Caught when broken, here and below: forecasts a step late, regressors of the next row, targets seen in a forecast, a
// sum whose variances are added as if independent. Float32 regressors and targets of the training rows set the
// tolerance.
TEST(SeriesForecast, EveryRowIsTheDenseNormalAtItsOwnTime) {
  Case c = irregular();
  const FittedSeries fitted = c.fit();
  ASSERT_EQ(fitted.parameters.size(), 6u);
  const SeriesForecaster forecaster(fitted);
  for (const ForecastMode mode : {ForecastMode::forecast, ForecastMode::nowcast}) {
    std::size_t visited = 0;
    forecaster.for_each_row(c.rows, mode, [&](const SeriesPrediction& p) {
      ++visited;
      for (std::size_t d = 0; d < 6; ++d) {
        const Moments m = exact(c, fitted, d, c.times[p.row], [&](std::size_t i) {
          return i < c.training || (mode == ForecastMode::nowcast && i < p.row);
        });
        EXPECT_NEAR(p.target.means[d], m.mean, 2e-5) << p.row;
        EXPECT_NEAR(p.target.sds[d], std::sqrt(m.variance), 2e-5) << p.row;
        double sum = p.regression[d];
        for (const auto& component : p.components) sum += component.means[d];
        EXPECT_NEAR(sum, p.target.means[d], 1e-9);
      }
    });
    EXPECT_EQ(visited, 5u);
  }
  std::size_t visited = 0;
  std::vector<double> regression(6), spread(6);
  forecaster.for_each_training_row(c.rows, [&](const SeriesPrediction& p) {
    ++visited;
    for (std::size_t d = 0; d < 6; ++d) {
      double sum = p.regression[d];
      for (const auto& component : p.components) sum += component.means[d];
      EXPECT_NEAR(sum, p.target.means[d], 1e-9);
      if (!std::isnan(c.rows.targets[p.row])) regression[d] += p.regression[d];
      spread[d] += std::abs(p.regression[d]);
      const Moments m = exact(c, fitted, d, c.times[p.row], [&](std::size_t i) { return i < c.training; });
      EXPECT_NEAR(p.target.means[d], m.mean, 2e-5) << p.row;
      EXPECT_NEAR(p.target.sds[d], std::sqrt(m.variance), 2e-5) << p.row;
    }
  });
  EXPECT_EQ(visited, 10u);
  for (std::size_t d = 0; d < 6; ++d) {
    EXPECT_NEAR(regression[d], 0, 1e-5);  // the trend carries its mean over the training rows
    EXPECT_GT(spread[d], 0.01);
  }
}

// A level without noise, 4 more on each holiday and 2 less on the day after: learnt from two, told of the third, which
// no row of training has. Caught when broken: effects that are left out of a forecast or of the filter before it, or
// that stand a day late.
TEST(SeriesForecast, KnowsEventsToCome) {
  Case c;
  c.configuration.series.regression = Regression::none;
  c.configuration.series.event.fixed = 100;
  for (NoisePrior* p : {&c.configuration.series.level, &c.configuration.base.noise_prior}) p->fixed = 1e-6;
  c.configuration.base.chains = 1;
  c.configuration.base.chain.warmup = 2;
  c.configuration.base.chain.draws = 10;
  c.configuration.base.chain.thin = 1;
  auto effect = [](std::int64_t t) { return t % 14 == 5 ? 4.0 : t % 14 == 6 ? -2.0 : 0.0; };
  for (std::int64_t t = 0; t < 40; ++t) {
    c.times.push_back(t);
    c.x.push_back(0);
    c.y.push_back(10 + effect(t));
  }
  c.y[19] = kMissing;  // the second holiday
  c.training = 30;
  const TemporaryDirectory directory;
  c.configuration.events = directory.path() + "/events.csv";
  write_bytes(c.configuration.events,
              "holiday,ds,lower_window,upper_window\nfeast,5,0,1\nfeast,19,0,1\nfeast,33,0,1\n");
  FittedSeries fitted = c.fit();
  ASSERT_EQ(fitted.options.events.size(), 2u);
  EXPECT_EQ(fitted.options.events[1], (Event{"feast+1", {6, 20, 34}}));
  std::size_t visited = 0;
  const auto check = [&](const SeriesPrediction& p) {
    ++visited;
    for (std::size_t d = 0; d < p.target.means.size(); ++d) {
      EXPECT_NEAR(p.target.means[d], 10 + effect(c.times[p.row]), 0.05) << p.row;
      EXPECT_NEAR(p.events[d], effect(c.times[p.row]), 0.05) << p.row;
      EXPECT_NEAR(p.components[0].means[d] + p.events[d] + p.regression[d], p.target.means[d], 1e-9);
    }
  };
  SeriesForecaster(fitted).for_each_row(c.rows, ForecastMode::forecast, check);
  SeriesForecaster(fitted).for_each_row(c.rows, ForecastMode::nowcast, check);
  SeriesForecaster(fitted).for_each_training_row(c.rows, check);
  EXPECT_EQ(visited, 50u);
  SeriesForecaster(fitted).for_each_effect(
      c.rows, 31, [](const SeriesForecaster::Effect& e) { EXPECT_NEAR(e.cumulative.means[0], 0, 0.1); });
}

// y is a ramp, a pattern of period 4 and 5 x, all without noise. A forecast one step late would miss by 0.5 for the
// ramp, by up to 6 for the pattern, and by about 5 for x.
TEST(SeriesForecast, FollowsAKnownSeriesWithoutALag) {
  Case c;
  c.configuration.series.trend = Trend::linear;
  c.configuration.series.seasons = {4};
  c.configuration.series.regression = Regression::linear;
  for (NoisePrior* p : {&c.configuration.series.level, &c.configuration.series.slope, &c.configuration.series.season,
                        &c.configuration.base.noise_prior})
    p->fixed = 1e-8;
  c.configuration.base.chains = 1;
  c.configuration.base.chain.warmup = 2;
  c.configuration.base.chain.draws = 20;
  c.configuration.base.chain.thin = 1;
  const double pattern[] = {3, -1, -3, 1};
  Rng rng(9, 0);
  auto truth = [&](std::int64_t t, double x) { return 0.5 * static_cast<double>(t) + pattern[t % 4] + 5 * x; };
  for (std::int64_t t = 0; t < 60; ++t) {
    if (t == 17 || t == 45 || t == 46) continue;  // in training, and between later rows
    c.times.push_back(t);
    c.x.push_back(rng.normal());
    c.y.push_back(truth(t, c.x.back()));
  }
  c.training = 39;
  const FittedSeries fitted = c.fit();
  SeriesForecaster(fitted).for_each_row(c.rows, ForecastMode::forecast, [&](const SeriesPrediction& p) {
    for (double mean : p.target.means) EXPECT_NEAR(mean, truth(c.times[p.row], c.x[p.row]), 0.05) << p.row;
  });
}

std::vector<double> means(const FittedSeries& fitted, const SeriesRows& rows, ForecastMode mode) {
  std::vector<double> result;
  SeriesForecaster(fitted).for_each_row(rows, mode,
                                        [&](const SeriesPrediction& p) { result.push_back(p.target.means[0]); });
  return result;
}

TEST(SeriesForecast, SeesNoTargetBeforeItsTime) {
  Case c = irregular();
  const FittedSeries fitted = c.fit();
  auto changed = c.y;
  changed[12] += 50;  // the third of the later rows
  const SeriesRows other = c.read(fitted, changed);
  EXPECT_EQ(means(fitted, c.rows, ForecastMode::forecast), means(fitted, other, ForecastMode::forecast));
  const auto before = means(fitted, c.rows, ForecastMode::nowcast), after = means(fitted, other, ForecastMode::nowcast);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(before[i], after[i]) << i;
  for (std::size_t i = 3; i < 5; ++i) EXPECT_NE(before[i], after[i]) << i;
  // Neither did the fit: targets after the training rows change nothing.
  Case d = irregular();
  for (std::size_t i = d.training; i < d.y.size(); ++i) d.y[i] = 1000;
  const FittedSeries again = d.fit();
  EXPECT_EQ(again.draws()[5]->weights, fitted.draws()[5]->weights);
}

// The sum of later rows has the variance of a sum, not the sum of variances.
TEST(SeriesForecast, EffectsAddUpAsTheDenseNormalSays) {
  Case c = irregular();
  const FittedSeries fitted = c.fit();
  const Encoding& encoding = fitted.regression.encoding;
  const std::int64_t from = 16;
  std::size_t visited = 0;
  SeriesForecaster(fitted).for_each_effect(c.rows, from, [&](const SeriesForecaster::Effect& e) {
    ++visited;
    EXPECT_GE(c.times[e.row], from);
    EXPECT_EQ(std::isnan(e.actual), std::isnan(c.y[e.row]));
    for (std::size_t d = 0; d < 6; ++d) {
      std::vector<double> series(22, kMissing);
      const State& state = *fitted.draws()[d];
      std::vector<std::size_t> summed;
      double effect = 0;
      std::vector<double> f;
      for (std::size_t i = 0; i < c.times.size(); ++i) {
        f.push_back(static_cast<double>(state.weights[0]) * static_cast<double>(c.rows.inputs.x[i]) +
                    static_cast<double>(state.weights[1]));
        if (std::isnan(c.y[i])) continue;
        const double y = (c.y[i] - encoding.target_mean()) / encoding.target_sd();
        if (c.times[i] < from) series[static_cast<std::size_t>(c.times[i])] = y - f[i];
        if (c.times[i] >= from && i <= e.row) {
          summed.push_back(i);
          effect += y - f[i];
        }
      }
      const auto p = dense::posterior(fitted.options, fitted.parameters[d], series);
      double variance = 0;
      for (std::size_t i : summed) {
        variance += fitted.parameters[d].noise;
        for (std::size_t a : p.entries) {
          const std::size_t row = static_cast<std::size_t>(c.times[i]) * p.states + a;
          effect -= p.mean[row];
          for (std::size_t j : summed)
            for (std::size_t b : p.entries)
              variance += p.covariance[row][static_cast<std::size_t>(c.times[j]) * p.states + b];
        }
      }
      EXPECT_NEAR(e.cumulative.means[d], encoding.target_sd() * effect, 1e-4) << e.row;
      EXPECT_NEAR(e.cumulative.sds[d], encoding.target_sd() * std::sqrt(variance), 1e-4) << e.row;
    }
  });
  EXPECT_EQ(visited, 4u);
  EXPECT_THROW(SeriesForecaster(fitted).for_each_effect(c.rows, 12, [](const auto&) {}), InputError);
}

// statsmodels 0.13.5, UnobservedComponents with these variances and a known initial law: experiments/peers/series.py.
TEST(SeriesForecast, LogLikelihoodIsThatOfStatsmodels) {
  SeriesOptions options;
  options.trend = Trend::linear;
  options.seasons = {4};
  SeriesParameters p = SeriesParameters::start(options, 0.3);
  p.level = 0.05;
  p.slope = 0.002;
  p.season = {0.01};
  std::vector<double> y;
  for (int t = 0; t < 40; ++t) y.push_back(0.1 * t + std::cos(0.7 * t) + (t % 4 == 1 ? 0.8 : 0));
  y[5] = y[20] = y[21] = kMissing;
  EXPECT_NEAR(log_likelihood(StateSpace(options, p), y), -52.166731760578415, 1e-8);
}

}  // namespace
}  // namespace mbnn
