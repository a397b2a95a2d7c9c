// mbnn-reproduce likelihood: the Kalman filter's log-likelihood of a column at given parameters, for comparisons.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/reproduce/verbs.h"
#include "mbnn/core/clock.h"
#include "mbnn/core/error.h"
#include "mbnn/core/known_names.h"
#include "mbnn/core/names.h"
#include "mbnn/series/kalman.h"
#include "mbnn/tables/columns/row_selection.h"

namespace mbnn::app {

namespace {

struct LikelihoodArguments {
  std::string data, target, trend = "level";
  SeriesOptions options;
  SeriesParameters parameters;
  std::vector<double> season_variances;
};

int likelihood(LikelihoodArguments arguments, const Common& common) {
  SeriesOptions& options = arguments.options;
  SeriesParameters& p = arguments.parameters;
  options.trend = named<Trend>(arguments.trend, "--trend");
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
  auto* verb = app.add_subcommand(
      "likelihood", "log-likelihood of a series, one row a step and in its own units, at given variances");
  verb->group("");  // a tool for experiments/peers/series.py, no study: the help does not list it
  auto a = std::make_shared<LikelihoodArguments>();
  add_table(*verb, a->data, "the table");
  verb->add_option("--target", a->target, "the column")->required();
  verb->add_option("--trend", a->trend, "damped, level or linear [level]")->check(CLI::IsMember(names_of<Trend>()));
  verb->add_option("--season", a->options.seasons, "a period, once for each season")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb->add_option("--noise-variance", a->parameters.noise, "of the observations [1]")->check(CLI::NonNegativeNumber);
  verb->add_option("--level-variance", a->parameters.level, "of the level's changes [1]")
      ->check(CLI::NonNegativeNumber);
  verb->add_option("--slope-variance", a->parameters.slope, "of the slope's changes [1]")
      ->check(CLI::NonNegativeNumber);
  verb->add_option("--season-variance", a->season_variances, "of the seasons' changes, once for each season")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb->add_option("--damping", a->parameters.damping, "damped: r");
  verb->add_option("--initial-level", a->options.initial_level, "level's variance at the first step [1]");
  verb->add_option("--initial-slope", a->options.initial_slope, "slope's variance at the first step [0.01]");
  verb->add_option("--initial-season", a->options.initial_season, "seasonal entries' variance at the first step [1]");
  add_common_options(*verb, common);
  verb->callback([=, &common, &action] { action = [=, &common] { return likelihood(*a, common); }; });
}

}  // namespace mbnn::app
