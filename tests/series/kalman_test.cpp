// Filter, smoother, log-likelihood and path draws against the dense multivariate normal, with missing values.
#include "mbnn/series/kalman.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "tests/support/dense_series.h"

namespace mbnn {
namespace {

struct Setting {
  std::string name;
  SeriesOptions options;
  SeriesParameters parameters;
  std::vector<double> y;
};

void PrintTo(const Setting& s, std::ostream* out) { *out << s.name; }

std::vector<Setting> settings() {
  const double missing = std::numeric_limits<double>::quiet_NaN();
  std::vector<Setting> all;
  auto add = [&](std::string name, Trend trend, std::vector<Season> seasons, std::vector<std::size_t> gaps,
                 std::size_t steps = 14) {
    Setting s{std::move(name), {}, {}, {}};
    s.options.trend = trend;
    s.options.seasons = std::move(seasons);
    s.options.initial_level = 1.3;
    s.options.initial_slope = 0.2;
    s.options.initial_season = 0.7;
    s.parameters = SeriesParameters::start(s.options, 0.4);
    s.parameters.level = 0.3;
    s.parameters.slope = 0.05;
    for (std::size_t i = 0; i < s.parameters.season.size(); ++i)
      s.parameters.season[i] = 0.1 + 0.05 * static_cast<double>(i);
    Rng rng(5, all.size());
    for (std::size_t t = 0; t < steps; ++t) s.y.push_back(rng.normal() + 0.1 * static_cast<double>(t));
    for (std::size_t t : gaps) s.y[t] = missing;
    all.push_back(std::move(s));
  };
  add("DampedComplete", Trend::damped, {}, {});
  add("LevelMissingEnds", Trend::level, {}, {0, 6, 7, 13});
  add("LinearSeason", Trend::linear, {4}, {3, 9});
  add("DampedSeasons", Trend::damped, {2, 5}, {1, 2, 3, 12});
  add("LevelTwoSeasonsMissingStart", Trend::level, {3, 4}, {0, 1, 2});
  // Long enough for the covariance to settle, before a gap and behind it.
  add("LevelSettles", Trend::level, {}, {40, 41, 42}, 80);
  // Waves: of no whole period, of all that a period has, beside free values.
  add("LevelWaves", Trend::level, {Season(5.5, 2)}, {4});
  add("LinearAllWaves", Trend::linear, {Season(6, 3), Season(3)}, {0, 7, 8});
  // Many states: in the moving frame.
  add("ManyWaves", Trend::level, {Season(24, 4), Season(168, 5)}, {5, 6}, 20);
  add("ManyDamped", Trend::damped, {Season(9.7, 4), Season(12)}, {0, 3, 11});
  add("ManyLinear", Trend::linear, {Season(4), Season(16, 8), Season(3)}, {2, 9, 13}, 18);
  add("ManyFree", Trend::level, {Season(7), Season(13)}, {6, 10}, 17);
  return all;
}

// Caught when broken: a smoother without its gain, path draws without noise of their own, a filter that advances before
// it observes, a settled covariance that is kept through a gap.
class Kalman : public ::testing::TestWithParam<Setting> {};

// Doubles, fourteen steps, well-conditioned: both sides are good to about 1e-13.
TEST_P(Kalman, LogLikelihoodIsThatOfTheDenseNormal) {
  const Setting& s = GetParam();
  const StateSpace space(s.options, s.parameters);
  const Gains gains(space, s.y);
  EXPECT_NEAR(gains.log_likelihood(gains.innovations(s.y)),
              dense::posterior(s.options, s.parameters, s.y).log_likelihood, 1e-10);
  EXPECT_NEAR(log_likelihood(space, s.y), gains.log_likelihood(gains.innovations(s.y)), 1e-12);
}

// The filter at t is the dense posterior given the first t values: the prediction of y_t and its variance.
TEST_P(Kalman, PredictionsAreThoseOfTheDenseNormalGivenThePast) {
  const Setting& s = GetParam();
  const StateSpace space(s.options, s.parameters);
  Belief belief(space);
  for (std::size_t t = 0; t < s.y.size(); ++t) {
    std::vector<double> past = s.y;
    for (std::size_t later = t; later < past.size(); ++later) past[later] = std::numeric_limits<double>::quiet_NaN();
    const auto exact = dense::posterior(s.options, s.parameters, past);
    double mean = 0, variance = 0;
    std::vector<double> with(exact.states, 0.0);
    for (std::size_t e : exact.entries) {
      for (std::size_t g = 0; g < exact.states; ++g)
        with[g] += exact.covariance[t * exact.states + e][t * exact.states + g];
      mean += exact.mean[t * exact.states + e];
      for (std::size_t g : exact.entries) variance += exact.covariance[t * exact.states + e][t * exact.states + g];
    }
    EXPECT_NEAR(belief.signal(), mean, 1e-10) << t;
    EXPECT_NEAR(belief.signal_variance(), variance, 1e-10) << t;
    const std::vector<double> covariance = belief.signal_covariance();
    for (std::size_t g = 0; g < exact.states; ++g) EXPECT_NEAR(covariance[g], with[g], 1e-10) << t << " " << g;
    if (!std::isnan(s.y[t])) belief.observe(s.y[t]);
    belief.advance();
  }
}

TEST_P(Kalman, SmoothedStatesAndVariancesAreThoseOfTheDenseNormal) {
  const Setting& s = GetParam();
  const StateSpace space(s.options, s.parameters);
  const Gains gains(space, s.y);
  const auto exact = dense::posterior(s.options, s.parameters, s.y);
  const auto path = gains.smooth(gains.innovations(s.y));
  for (std::size_t i = 0; i < path.size(); ++i) EXPECT_NEAR(path[i], exact.mean[i], 1e-10) << i;
  const Smoothed smoothed = smooth_components(space, s.y);
  const std::size_t count = space.components(), m = exact.states;
  for (std::size_t t = 0; t < s.y.size(); ++t) {
    double signal = 0, variance = 0;
    for (std::size_t c = 0; c < count; ++c) {
      double value = 0, spread = 0;
      for (std::size_t e : exact.components[c]) {
        value += exact.mean[t * m + e];
        for (std::size_t g : exact.components[c]) spread += exact.covariance[t * m + e][t * m + g];
        for (std::size_t g : exact.entries) variance += exact.covariance[t * m + e][t * m + g];
      }
      EXPECT_NEAR(smoothed.mean[t * count + c], value, 1e-10) << t;
      EXPECT_NEAR(smoothed.variance[t * count + c], spread, 1e-10) << t;
      signal += value;
    }
    EXPECT_NEAR(smoothed.signal_mean[t], signal, 1e-10) << t;
    EXPECT_NEAR(smoothed.signal_variance[t], variance, 1e-10) << t;
  }
}

// Means and all covariances, between different times too, over 20,000 draws. Each is compared in its own standard
// error, known from the exact covariance; with about 5,000 comparisons a setting, |z| < 6 fails by chance in one of
// 10^5 runs.
TEST_P(Kalman, PathDrawsHaveTheExactJointLaw) {
  const Setting& s = GetParam();
  const StateSpace space(s.options, s.parameters);
  const Gains gains(space, s.y);
  const auto exact = dense::posterior(s.options, s.parameters, s.y);
  const std::size_t size = exact.mean.size(), draws = 20000;
  std::vector<double> mean(size, 0.0);
  dense::Matrix second = dense::zeros(size, size);
  Rng rng(11, 3);
  std::vector<double> deviation(size);
  for (std::size_t d = 0; d < draws; ++d) {
    const auto path = draw_path(gains, s.y, rng);
    for (std::size_t i = 0; i < size; ++i) mean[i] += deviation[i] = path[i] - exact.mean[i];
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j <= i; ++j) second[i][j] += deviation[i] * deviation[j];
  }
  const double n = static_cast<double>(draws);
  double worst = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const double vi = exact.covariance[i][i];
    worst = std::max(worst, std::abs(mean[i] / n) / std::sqrt(vi / n));
    for (std::size_t j = 0; j <= i; ++j) {
      const double c = exact.covariance[i][j], error = std::sqrt((vi * exact.covariance[j][j] + c * c) / n);
      worst = std::max(worst, std::abs(second[i][j] / n - c) / error);
    }
  }
  EXPECT_LT(worst, 6);
}

// The moving frame against T P T' + Q - K F K' step by step, over many turns and gaps: rounding must not add up, and
// both sets of instructions say the same. The plain recursion is good to about 1e-11 here.
TEST(MovingCovariance, StaysThatOfThePlainRecursion) {
  SeriesOptions options;
  options.trend = Trend::linear;
  options.seasons = {Season(7), Season(24, 12), Season(365.25, 3), Season(5)};
  SeriesParameters p = SeriesParameters::start(options, 0.4);
  p.level = 0.01;
  p.slope = 1e-4;
  for (double& variance : p.season) variance = 0.02;
  const StateSpace space(options, p);
  const std::size_t m = space.states();
  ASSERT_GT(m, Belief::kFew);
  Belief belief(space);
  std::vector<double> P(m * m, 0.0), gain(m);
  for (std::size_t i = 0; i < m; ++i) P[i * m + i] = space.initial_variance()[i];
  const auto transpose = [&] {
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < i; ++j) std::swap(P[i * m + j], P[j * m + i]);
  };
  for (std::size_t t = 0; t < 3000; ++t) {
    for (std::size_t i = 0; i < m; ++i) gain[i] = space.observe(&P[i * m]);
    const double variance = space.observe(gain.data());
    ASSERT_NEAR(belief.signal_variance(), variance, 1e-9) << t;
    if (t % 100 == 0) {
      const std::vector<double> covariance = belief.signal_covariance();
      for (std::size_t i = 0; i < m; ++i) ASSERT_NEAR(covariance[i], gain[i], 1e-9) << t;
    }
    if (t % 50 != 3 && t % 400 < 380) {
      belief.observe(0);
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < m; ++j) P[i * m + j] -= gain[i] * gain[j] / (variance + space.noise());
    }
    belief.advance();
    space.advance(P.data(), m);
    transpose();
    space.advance(P.data(), m);
    for (std::size_t i = 0; i < m; ++i) P[i * m + i] += space.state_variance()[i];
  }
}

TEST(MovingCovariance, KernelsAgree) {
  const std::size_t size = 21, stride = 32, waves = 10;
  Rng rng(3, 0);
  std::vector<double> matrix(size * stride), taken(stride), seen(size);
  for (auto* values : {&matrix, &taken, &seen})
    for (double& value : *values) value = rng.normal();
  std::vector<double> a = matrix, b = matrix, sum_a(stride), sum_b(stride);
  baseline_covariance_kernels().update(a.data(), size, stride, taken.data(), waves, seen.data(), sum_a.data());
  covariance_kernels().update(b.data(), size, stride, taken.data(), waves, seen.data(), sum_b.data());
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < stride; ++j) {
      EXPECT_NEAR(a[i * stride + j], matrix[i * stride + j] - taken[i] * taken[j], 1e-13);
      EXPECT_NEAR(b[i * stride + j], a[i * stride + j], 1e-13);
    }
  for (std::size_t j = 0; j < stride; ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < waves; ++i) sum += a[i * stride + j] * seen[i];
    EXPECT_NEAR(sum_a[j], sum, 1e-12);
    EXPECT_NEAR(sum_b[j], sum, 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Kalman, ::testing::ValuesIn(settings()),
                         [](const ::testing::TestParamInfo<Setting>& info) { return info.param.name; });

}  // namespace
}  // namespace mbnn
