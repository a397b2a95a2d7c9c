// Calibration of the whole Gibbs sampler of a series: variances, r, regression and path together.
//
// As in calibration_test.cpp: parameters, path and regression are drawn from their priors and a series given them,
// which makes them an exact draw from the posterior of that series. A chain that starts there must leave the joint law
// as it was. Two-sample Kolmogorov-Smirnov tests at level 1e-4, fixed seeds; a sampler that does not move would pass,
// so how far it moved is checked, too.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "mbnn/series/disturbances.h"
#include "mbnn/series/gibbs.h"
#include "mbnn/tables/chain.h"
#include "tests/support/kolmogorov.h"
#include "tests/support/prior_draw.h"

namespace mbnn {
namespace {

struct Setting {
  const char* name;
  SeriesOptions series;
  Model model;
  ChainOptions chain;
  std::size_t replicates;
};

void PrintTo(const Setting& s, std::ostream* out) { *out << s.name; }

struct Joint {
  SeriesData data;
  State state;
  SeriesParameters parameters;
  std::vector<double> path;
};

// Steps 3 and 8 to 9 are missing.
Joint draw_joint(const Setting& s, Rng& rng) {
  Joint j;
  j.data.steps = 16;
  for (std::int64_t t = 0; t < j.data.steps; ++t)
    if (t != 3 && t != 8 && t != 9) j.data.times.push_back(t);
  j.data.rows.rows = j.data.times.size();
  j.data.rows.inputs = 2;
  for (std::size_t i = 0; i < 2 * j.data.rows.rows; ++i) j.data.rows.x.push_back(static_cast<float>(rng.normal()));
  j.parameters = draw_prior_parameters(s.series, s.model.noise_prior, rng);
  j.state = draw_prior_state(s.model, rng);
  j.state.noise_variance = j.parameters.noise;
  if (!s.series.network() && !s.series.needs_intercept()) j.state.weights.back() = 0;
  const StateSpace space(s.series, j.parameters);
  j.path = space.simulate(static_cast<std::size_t>(j.data.steps), rng);
  const Batch batch = Batch::all(j.data.rows);
  const auto f = regression_values(s.model, j.state, batch);
  for (std::size_t i = 0; i < f.size(); ++i)
    j.data.rows.y.push_back(
        static_cast<float>(space.observe(&j.path[static_cast<std::size_t>(j.data.times[i]) * space.states()]) + f[i] +
                           std::sqrt(j.parameters.noise) * rng.normal()));
  return j;
}

std::map<std::string, double> functions(const Setting& s, const Joint& j) {
  const StateSpace space(s.series, j.parameters);
  const std::size_t m = space.states();
  const auto f = regression_values(s.model, j.state, Batch::all(j.data.rows));
  double errors = 0, moves = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double e = j.data.rows.y[i] - f[i] - space.observe(&j.path[static_cast<std::size_t>(j.data.times[i]) * m]);
    errors += e * e;
  }
  for (std::size_t t = 1; t < 16; ++t) moves += std::pow(j.path[t * m] - j.path[(t - 1) * m], 2);
  std::map<std::string, double> v{
      {"noise", j.parameters.noise},
      {"level variance", j.parameters.level},
      {"first level", j.path[0]},
      {"level where nothing is seen", j.path[9 * m]},
      {"last level", j.path[15 * m]},
      {"errors", errors},
      {"errors / noise", errors / j.parameters.noise},
      {"moves / variance", moves / j.parameters.level},
      {"f(x0)", f[0]},
      {"y0 f(x0)", j.data.rows.y[0] * f[0]},
      {"y5 level", j.data.rows.y[5] * j.path[static_cast<std::size_t>(j.data.times[5]) * m]},
      {"constant", j.state.weights.back()},
      {"first weight", j.state.weights[0]}};
  if (s.series.learn_damping) v["r"] = j.parameters.damping;
  if (s.series.trend == Trend::linear) {
    v["slope variance"] = j.parameters.slope;
    v["last slope"] = j.path[15 * m + 1];
  }
  if (!s.series.seasons.empty()) {
    v["season variance"] = j.parameters.season[0];
    const std::size_t last = s.series.seasons.size();
    v["last season"] = 0;
    for (const std::size_t e : space.entries(last)) v["last season"] += j.path[15 * m + e];
    v["last variance"] = j.parameters.season[last - 1];
    v["last entry"] = j.path[16 * m - 1];
  }
  if (s.model.masks) v["nodes"] = static_cast<double>(j.state.shape(s.model).active_nodes());
  return v;
}

Setting linear_setting(const char* name, Trend trend) {
  Setting s{name, {}, {}, {}, 3000};
  s.series.trend = trend;
  s.series.regression = Regression::linear;
  s.series.level = {3, 0.5};
  s.series.slope = {3, 0.05};
  s.series.season = {3, 0.2};
  s.model.architecture = {2, {}, 1};
  s.model.masks = false;
  s.model.weight_prior = {.family = WeightPrior::Family::normal, .scale = 1};
  s.model.noise_prior = {3, 1};
  s.chain.warmup = 0;
  s.chain.draws = 1;
  s.chain.thin = 6;
  return s;
}

std::vector<Setting> settings() {
  std::vector<Setting> all;
  all.push_back(linear_setting("LinearDampedLearntSeason", Trend::damped));
  all.back().series.learn_damping = true;
  all.back().series.seasons = {3};
  all.push_back(linear_setting("LinearInLinearTrend", Trend::linear));
  // Waves beside free values, with few states and with many.
  all.push_back(linear_setting("LinearWaves", Trend::level));
  all.back().series.seasons = {Season(5.5, 2)};
  all.push_back(linear_setting("LinearManyWaves", Trend::damped));
  all.back().series.seasons = {Season(6), Season(30, 7)};
  all.back().replicates = 2000;
  all.push_back(linear_setting("MaskedNetworkInLevel", Trend::level));
  Setting& network = all.back();
  network.replicates = 1500;
  network.series.regression = Regression::mbnn;
  network.model.architecture.caps = {4, 3};
  network.model.masks = true;
  network.model.weight_prior = {.family = WeightPrior::Family::student, .scale = 0.6};
  network.model.width_prior = {.lambda = 0.25, .rows = 13};
  network.chain.thin = 12;
  network.chain.leapfrog_steps = 6;
  network.chain.initial_step = 0.15;
  network.chain.mask_moves = 4;
  return all;
}

class SeriesCalibration : public ::testing::TestWithParam<Setting> {};

// Caught when broken: slice steps without the density of the logarithm, coefficients or a network's last layer without
// their prior, variances drawn from twice the squares,
// squares of waves without the share that each has of the season's variance. A path drawn with a tenth of f left in was
// too small a fault to be seen.
TEST_P(SeriesCalibration, ChainsKeepTheJointLaw) {
  const Setting& s = GetParam();
  std::map<std::string, std::vector<double>> fresh, moved;
  double unmoved = 0;
  for (std::size_t r = 0; r < s.replicates; ++r) {
    Rng rng(77, r);
    for (int copy = 0; copy < 3; ++copy)
      for (const auto& [name, value] : functions(s, draw_joint(s, rng))) fresh[name].push_back(value);
    Joint j = draw_joint(s, rng);
    auto block = std::make_unique<SeriesBlock>(s.model, s.series, j.data);
    block->start_from(j.parameters, j.path);
    const SeriesBlock& inside = *block;
    Chain chain(s.model, inside.training(), s.chain, 99, r);
    chain.attach(std::move(block));
    chain.start_from(j.state);
    while (chain.iteration() < s.chain.iterations()) chain.iterate();
    unmoved += chain.state().weights == j.state.weights || inside.path() == j.path ||
               inside.parameters().level == j.parameters.level;
    j.state = chain.state();
    j.parameters = inside.parameters();
    j.path = inside.path();
    for (const auto& [name, value] : functions(s, j)) moved[name].push_back(value);
  }
  EXPECT_LT(unmoved, 0.01 * static_cast<double>(s.replicates));
  const double n = static_cast<double>(s.replicates), m = 3 * n;
  const double limit = 2.23 * std::sqrt((n + m) / (n * m));  // level 1e-4
  for (const auto& [name, values] : moved) EXPECT_LT(kolmogorov_distance(fresh.at(name), values), limit) << name;
}

INSTANTIATE_TEST_SUITE_P(All, SeriesCalibration, ::testing::ValuesIn(settings()),
                         [](const ::testing::TestParamInfo<Setting>& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace mbnn
