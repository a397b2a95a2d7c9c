// What a structural time series is made of: its trend, its seasons, its regression, and the priors of their variances.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "mbnn/sample/priors.h"
#include "mbnn/series/season.h"

namespace mbnn {

// y_t = level_t + sum of seasons_t + f(x_t) + noise_t, everything in units of the scaled target.
//   damped   level_{t+1} = r level_t + N(0, level variance)
//   level    level_{t+1} = level_t + N(0, level variance)
//   linear   level_{t+1} = level_t + slope_t + N(0, level variance),  slope_{t+1} = slope_t + N(0, slope variance)
//   season   s_{t+1} = -(s_t + ... + s_{t-P+2}) + N(0, season variance), for each period P of free values; or
//            the sum of w_1, ..., w_H, where (w_j, w*_j) turns by 2 pi j / P in a step and each of them is disturbed by
//            N(0, season variance / (P H))
enum class Trend { damped, level, linear };
enum class Regression { none, linear, bnn, mbnn, automatic };
constexpr auto enum_names(Trend) { return std::array{"damped", "level", "linear"}; }
constexpr auto enum_names(Regression) { return std::array{"none", "linear", "bnn", "mbnn", "auto"}; }

struct SeriesOptions {
  Trend trend = Trend::level;
  std::vector<Season> seasons;
  Regression regression = Regression::mbnn;  // automatic until a table says if there is anything to regress on
  // Inverse gamma, or fixed.
  NoisePrior level{1, 1e-3}, slope{1, 1e-5}, season{1, 1e-4};
  double damping = 0.95;       // r, or where it starts if it is learnt
  bool learn_damping = false;  // under the uniform law on (0, 1)
  // Of the states at the first time: normal with mean 0. A season's is that of its free values, or of its first wave;
  // that of the j-th wave is 1 / j² of it.
  double initial_level = 1, initial_slope = 0.01, initial_season = 1;  // variances

  // A level that is free to be anywhere makes a constant in f redundant.
  bool needs_intercept() const { return trend == Trend::damped; }
  bool network() const { return regression != Regression::none && regression != Regression::linear; }
  bool masked() const { return regression == Regression::mbnn || regression == Regression::automatic; }
  void check() const;  // throws InputError naming the first value that makes no sense
};

// What is learnt beside f: variances of the disturbances, and r.
struct SeriesParameters {
  double noise = 1, level = 1, slope = 1;
  std::vector<double> season;
  double damping = 1;

  // The modes of the priors, or the fixed values.
  static SeriesParameters start(const SeriesOptions& options, double noise);
};

// The components that have states of their own, in their order: "trend", then "season7", ...
std::vector<std::string> component_names(const SeriesOptions& options);

}  // namespace mbnn
