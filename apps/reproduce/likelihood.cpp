// mbnn-reproduce likelihood: the Kalman filter's log-likelihood of a column at given parameters, for comparisons.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <nlohmann/json.hpp>

#include "apps/reproduce/verbs.h"
#include "mbnn/core/clock.h"
#include "mbnn/core/error.h"
#include "mbnn/core/known_names.h"
#include "mbnn/series/kalman.h"
#include "mbnn/tables/columns/row_selection.h"

namespace mbnn::app {

namespace {

struct LikelihoodArguments {
  std::string data, target;
  SeriesOptions options;
  SeriesParameters parameters;
  std::vector<double> season_variances;
};

OptionList options_of(LikelihoodArguments& a) {
  OptionList options;
  options.group("Options");
  declare_table(options, a.data, "the table");
  options.add("target", a.target, "the column").kind("COLUMN").letter('t').required();
  options.add("trend", a.options.trend, "how the level moves").basic();
  options.add("season", a.options.seasons, "a period, once for each season").basic();
  options.add("noise-variance", a.parameters.noise, "of the observations").not_negative().basic();
  options.add("level-variance", a.parameters.level, "of the level's changes").not_negative().basic();
  options.add("slope-variance", a.parameters.slope, "of the slope's changes").not_negative().basic();
  OptionValue variances;  // numbers, as often as there are seasons
  variances.kind = "X";
  variances.show = [] { return std::string(); };
  variances.parse = [&a](const std::string& text) { a.season_variances.push_back(parse_real(text)); };
  variances.clear = [&a] { a.season_variances.clear(); };
  options.add("season-variance", variances, "of the seasons' changes, once for each season").basic();
  options.add("damping", a.parameters.damping, "damped: r").basic();
  options.add("initial-level", a.options.initial_level, "level's variance at the first step").basic();
  options.add("initial-slope", a.options.initial_slope, "slope's variance at the first step").basic();
  options.add("initial-season", a.options.initial_season, "seasonal entries' variance at the first step").basic();
  return options;
}

int likelihood(LikelihoodArguments arguments, const Common& common) {
  SeriesOptions& options = arguments.options;
  SeriesParameters& p = arguments.parameters;
  options.damping = options.trend == Trend::damped ? p.damping : options.damping;
  options.check();
  p.damping = options.trend == Trend::damped ? p.damping : 1;
  p.season = arguments.season_variances;
  require(p.season.size() == options.seasons.size(), "--season-variance", p.season.size(),
          fmt::format("expected one for each of the {} seasons", options.seasons.size()));
  const Table table = read_table(arguments.data);
  const Column* column = table.find(arguments.target);
  if (!column)
    throw InputError(fmt::format("{}: no column '{}'; {}", table.path, arguments.target,
                                 known_columns(arguments.target, table.column_names())));
  const NumberCells number(table, *column, "expected numbers");
  std::vector<double> y;
  for (std::size_t row = 0; row < table.rows; ++row) y.push_back(number(row));
  const Stopwatch watch;
  const StateSpace space(options, p);
  const Gains gains(space, y);
  const double value = gains.log_likelihood(gains.innovations(y));
  const double seconds = watch.seconds();
  if (common.json)
    fmt::print("{}\n", nlohmann::json{{"log_likelihood", value}, {"steps", y.size()}, {"seconds", seconds}}.dump(2));
  else
    fmt::print("{:.12g}\n", value);
  return good;
}

}  // namespace

void add_likelihood(CLI::App& app, Common& common, Action& action) {
  add_verb<LikelihoodArguments>(
      app, "likelihood", "log-likelihood of a series, one row a step and in its own units, at given variances", common,
      action, [](LikelihoodArguments& a) { return options_of(a); }, likelihood)
      .group("");  // a tool for experiments/peers/series.py, no study: the help does not list it
}

}  // namespace mbnn::app
