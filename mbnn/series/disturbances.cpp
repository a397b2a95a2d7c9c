#include "mbnn/series/disturbances.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mbnn/sample/slice.h"

namespace mbnn {

namespace {

// Sums of squares of what the states moved by, beyond what T moves them.
struct Squares {
  double level = 0, slope = 0;
  std::vector<double> season;
};

Squares squares(const SeriesOptions& options, const SeriesParameters& parameters, std::span<const double> path) {
  const StateSpace space(options, parameters);
  const std::size_t m = space.states(), n = path.size() / m;
  Squares s;
  s.season.resize(options.seasons.size());
  std::vector<double> expected(m);
  for (std::size_t t = 0; t + 1 < n; ++t) {
    std::copy_n(path.begin() + static_cast<std::ptrdiff_t>(t * m), m, expected.begin());
    space.advance(expected.data());
    auto square = [&](std::size_t entry) {
      const double moved = path[(t + 1) * m + entry] - expected[entry];
      return moved * moved;
    };
    s.level += square(0);
    if (options.trend == Trend::linear) s.slope += square(1);
    for (std::size_t i = 0; i < s.season.size(); ++i)
      for (std::size_t k = 0; k < options.seasons[i].disturbed(); ++k) s.season[i] += square(space.first(i + 1) + k);
  }
  // In units of the season's variance.
  for (std::size_t i = 0; i < s.season.size(); ++i) s.season[i] /= options.seasons[i].share();
  return s;
}

// Given the path, r has a normal likelihood; the prior cuts it to (0, 1).
double draw_damping(const SeriesOptions& options, std::span<const double> path, const SeriesParameters& p, Rng& rng) {
  const std::size_t m = StateSpace(options, p).states(), n = path.size() / m;
  double products = 0, squares = 0;
  for (std::size_t t = 0; t + 1 < n; ++t) {
    products += path[t * m] * path[(t + 1) * m];
    squares += path[t * m] * path[t * m];
  }
  auto log_density = [&](double r) {
    if (!(r > 0 && r < 1)) return -std::numeric_limits<double>::infinity();
    return (r * products - 0.5 * r * r * squares) / p.level;
  };
  return slice_sample(p.damping, 0.2, log_density, rng);
}

}  // namespace

void draw_parameters(const SeriesOptions& options, std::span<const double> path, SeriesParameters& parameters,
                     Rng& rng) {
  const Squares s = squares(options, parameters, path);
  const std::size_t m = StateSpace(options, parameters).states();
  const double moves = static_cast<double>(path.size() / m) - 1;
  parameters.level = options.level.draw_posterior(s.level, moves, rng);
  if (options.trend == Trend::linear) parameters.slope = options.slope.draw_posterior(s.slope, moves, rng);
  for (std::size_t i = 0; i < s.season.size(); ++i)
    parameters.season[i] =
        options.season.draw_posterior(s.season[i], moves * static_cast<double>(options.seasons[i].disturbed()), rng);
  if (options.trend == Trend::damped && options.learn_damping)
    parameters.damping = draw_damping(options, path, parameters, rng);
}

void slice_parameters(const SeriesOptions& options, const NoisePrior& noise,
                      const std::function<double(const SeriesParameters&)>& log_likelihood,
                      SeriesParameters& parameters, Rng& rng) {
  auto move = [&](double& variance, const NoisePrior& prior) {
    if (prior.fixed > 0) return;
    const double log_variance = slice_sample(
        std::log(variance), 1.5,
        [&](double x) {
          variance = std::exp(x);
          return log_likelihood(parameters) + prior.log_density(variance) + x;  // the density of the log
        },
        rng);
    variance = std::exp(log_variance);
  };
  move(parameters.noise, noise);
  move(parameters.level, options.level);
  if (options.trend == Trend::linear) move(parameters.slope, options.slope);
  for (double& variance : parameters.season) move(variance, options.season);
  if (options.trend != Trend::damped || !options.learn_damping) return;
  parameters.damping = slice_sample(
      parameters.damping, 0.2,
      [&](double r) {
        if (!(r > 0 && r < 1)) return -std::numeric_limits<double>::infinity();
        parameters.damping = r;
        return log_likelihood(parameters);
      },
      rng);
}

double log_prior(const SeriesOptions& options, const SeriesParameters& parameters) {
  double sum = options.level.log_density(parameters.level);
  if (options.trend == Trend::linear) sum += options.slope.log_density(parameters.slope);
  for (double variance : parameters.season) sum += options.season.log_density(variance);
  return sum;
}

SeriesParameters draw_prior_parameters(const SeriesOptions& options, const NoisePrior& noise, Rng& rng) {
  SeriesParameters p = SeriesParameters::start(options, noise.draw(rng));
  p.level = options.level.draw(rng);
  if (options.trend == Trend::linear) p.slope = options.slope.draw(rng);
  for (double& variance : p.season) variance = options.season.draw(rng);
  if (options.trend == Trend::damped && options.learn_damping) p.damping = rng.uniform();
  return p;
}

}  // namespace mbnn
