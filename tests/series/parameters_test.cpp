// Draws of a series' variances, of its damping and of its coefficients against conjugate laws.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mbnn/series/coefficients.h"
#include "mbnn/series/disturbances.h"
#include "tests/support/batch_means.h"
#include "tests/support/dense_series.h"

namespace mbnn {
namespace {

// The precision 1 / v of an inverse gamma law has the mean a / b and the mean square a (a + 1) / b².
struct Conjugate {
  double a, b;
  double mean() const { return a / b; }
  double square() const { return a * (a + 1) / (b * b); }
};

// |z| < 4 for each of ten moments and less: a false alarm in 1 of 1,600 seeds.
void expect_precisions(BatchMeans& moments, const std::vector<Conjugate>& laws) {
  for (std::size_t k = 0; k < laws.size(); ++k) {
    EXPECT_LT(std::abs(moments.z(2 * k, laws[k].mean())), 4) << k << ": " << moments.mean(2 * k);
    EXPECT_LT(std::abs(moments.z(2 * k + 1, laws[k].square())), 4) << k;
    EXPECT_LT(moments.standard_error(2 * k), 0.02 * laws[k].mean()) << k;  // or a fault could not be seen
  }
}

std::vector<double> precisions(const std::vector<double>& variances) {
  std::vector<double> values;
  for (const double v : variances) values.insert(values.end(), {1 / v, 1 / (v * v)});
  return values;
}

// A likelihood of known squares: v^(-m/2) exp(-S / 2v) makes IG(a, b) into IG(a + m/2, b + S/2). And the damping under
// exp(-r), cut to (0, 1). Seen to fail without the density of the logarithm.
TEST(SeriesParameters, SliceStepsFollowConjugateLaws) {
  constexpr double rows = 6, square = 3;
  SeriesOptions options;
  options.seasons = {4};
  options.level = {3, 2};
  options.slope = {4, 1};
  options.season = {2.5, 0.5};
  const NoisePrior noise{3, 1.5};
  const auto log_likelihood = [&](const SeriesParameters& p) {
    double sum = -p.damping;
    for (const double v : {p.noise, p.level, p.slope, p.season[0]}) sum -= 0.5 * rows * std::log(v) + square / (2 * v);
    return sum;
  };
  Rng rng(6);
  options.trend = Trend::linear;
  SeriesParameters p = SeriesParameters::start(options, 1);
  constexpr std::size_t length = 20000;
  BatchMeans moments(8);
  for (std::size_t i = 0; i < length; ++i) {
    slice_parameters(options, noise, log_likelihood, p, rng);
    moments.add(i, length, precisions({p.noise, p.level, p.slope, p.season[0]}));
  }
  expect_precisions(moments, {{6, 3}, {6, 3.5}, {7, 2.5}, {5.5, 2}});

  options.trend = Trend::damped;
  options.learn_damping = true;
  p = SeriesParameters::start(options, 1);
  BatchMeans damping(1);
  for (std::size_t i = 0; i < length; ++i) {
    slice_parameters(options, noise, log_likelihood, p, rng);
    damping.add(i, length, std::vector<double>{p.damping});
  }
  const double inverse_e = std::exp(-1.0);
  EXPECT_LT(std::abs(damping.z(0, (1 - 2 * inverse_e) / (1 - inverse_e))), 4) << damping.mean(0);
}

// Given a path, what its states moved by beyond what the equations say: here by hand, five moves of each.
// Seen to fail with twice the squares.
TEST(SeriesParameters, DrawsGivenAPathFollowConjugateLaws) {
  SeriesOptions options;
  options.trend = Trend::linear;
  options.seasons = {2};
  options.level = {3, 2};
  options.slope = {4, 1};
  options.season = {2.5, 0.5};
  const std::vector<double> level_moves{1, -2, 0.5, 0, 1}, slope_moves{0.1, 0.2, -0.3, 0.4, 0},
      season_moves{-1, 0, 0.5, 0.25, -0.5};
  std::vector<double> path{0.3, -0.2, 0.7};  // level, slope, season
  for (std::size_t t = 0; t < 5; ++t) {
    const double level = path[3 * t], slope = path[3 * t + 1], season = path[3 * t + 2];
    path.insert(path.end(), {level + slope + level_moves[t], slope + slope_moves[t], -season + season_moves[t]});
  }
  const auto law = [](const NoisePrior& prior, const std::vector<double>& moves) {
    const double squares = std::inner_product(moves.begin(), moves.end(), moves.begin(), 0.0);
    return Conjugate{prior.shape + 2.5, prior.rate + squares / 2};
  };
  Rng rng(7);
  SeriesParameters p = SeriesParameters::start(options, 1);
  constexpr std::size_t length = 20000;
  BatchMeans moments(6);
  for (std::size_t i = 0; i < length; ++i) {
    draw_parameters(options, path, p, rng);
    moments.add(i, length, precisions({p.level, p.slope, p.season[0]}));
  }
  expect_precisions(
      moments, {law(options.level, level_moves), law(options.slope, slope_moves), law(options.season, season_moves)});
}

// Each entry of a wave moves by its share of the season's variance: 1 / (period * waves). Two waves of period 8: four
// entries, which in one step turn and move by known numbers.
TEST(SeriesParameters, WavesHaveTheirShareOfTheVariance) {
  SeriesOptions options;
  options.seasons = {Season(8, 2)};
  options.season = {2.5, 0.5};
  const double r = std::sqrt(0.5);
  // Level, then the waves of periods 8 and 4; those turn by 45 and 90 degrees.
  const std::vector<double> moves{0.1, -0.2, 0.05, 0.3};
  const std::vector<double> path{
      0, 1, 2, 3, 4, 0, r * (1 + 2) + moves[0], r * (2 - 1) + moves[1], 4 + moves[2], -3 + moves[3]};
  const double squares = std::inner_product(moves.begin(), moves.end(), moves.begin(), 0.0);
  const Conjugate law{2.5 + 0.5 * 4, 0.5 + 0.5 * squares * 8 * 2};
  Rng rng(9);
  SeriesParameters p = SeriesParameters::start(options, 1);
  constexpr std::size_t length = 20000;
  BatchMeans moments(2);
  for (std::size_t i = 0; i < length; ++i) {
    draw_parameters(options, path, p, rng);
    moments.add(i, length, precisions({p.season[0]}));
  }
  expect_precisions(moments, {law});
}

// y = 1 b + x c + level + noise. That b and c are normal makes y normal, so they follow from dense normals: the log
// density of y - 1 b - x c under the series, by dense_series.h, plus that of the prior, is a parabola in b and c, of
// which six values are enough. Moments of 20,000 draws in standard errors, |z| < 4 for five.
// Seen to fail with the prior left out.
TEST(SeriesCoefficients, FollowTheDenseNormal) {
  SeriesOptions options;
  options.trend = Trend::level;
  options.initial_level = 1.3;
  SeriesParameters p = SeriesParameters::start(options, 0.4);
  p.level = 0.3;
  const std::vector<double> y{0.5, 1.5, NAN, 0.2, 2.0, 1.1}, x{-1, 0.5, 0.3, 0.2, 1.5, -0.4}, ones(6, 1.0);
  const std::vector<double> prior{2, 0.5};
  const auto log_density = [&](double b, double c) {
    std::vector<double> rest(y);
    for (std::size_t t = 0; t < y.size(); ++t) rest[t] -= b + c * x[t];
    return dense::posterior(options, p, rest).log_likelihood - 0.5 * (prior[0] * b * b + prior[1] * c * c);
  };
  const double at = log_density(0, 0), b_up = log_density(1, 0), b_down = log_density(-1, 0), c_up = log_density(0, 1),
               c_down = log_density(0, -1), both = log_density(1, 1);
  const double bb = 2 * at - b_up - b_down, cc = 2 * at - c_up - c_down, bc = b_up + c_up - at - both;  // precisions
  const double to_b = 0.5 * (b_up - b_down), to_c = 0.5 * (c_up - c_down), determinant = bb * cc - bc * bc;
  const double mean_b = (cc * to_b - bc * to_c) / determinant, mean_c = (bb * to_c - bc * to_b) / determinant;

  const StateSpace space(options, p);
  const Gains gains(space, y);
  Rng rng(8);
  constexpr std::size_t length = 20000;
  BatchMeans moments(5);
  for (std::size_t i = 0; i < length; ++i) {
    const auto drawn = draw_coefficients(gains, y, {ones, x}, prior, rng);
    ASSERT_EQ(drawn.size(), 2u);
    const double b = drawn[0] - mean_b, c = drawn[1] - mean_c, values[] = {b, c, b * b, b * c, c * c};
    moments.add(i, length, values);
  }
  const double expected[] = {0, 0, cc / determinant, -bc / determinant, bb / determinant};
  for (std::size_t f = 0; f < 5; ++f)
    EXPECT_LT(std::abs(moments.z(f, expected[f])), 4) << f << ": " << moments.mean(f) << " for " << expected[f];
  EXPECT_LT(moments.standard_error(2), 0.02 * expected[2]);
}

}  // namespace
}  // namespace mbnn
