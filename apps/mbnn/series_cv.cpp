// mbnn series cv: fits that end at several times of the past, and how well they forecast what followed.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/common/details.h"
#include "apps/common/signals.h"
#include "apps/mbnn/series.h"
#include "apps/mbnn/session.h"
#include "apps/mbnn/write_file.h"
#include "mbnn/core/error.h"
#include "mbnn/core/text.h"
#include "mbnn/series/find_date.h"
#include "mbnn/series/prepare.h"
#include "mbnn/series/rolling_origin.h"

namespace mbnn::app {

namespace {

constexpr std::size_t kMostLines = 14;  // of steps ahead, on the screen

struct SeriesCvArguments {
  RollingOptions rolling;
  std::string out;
};

OptionList cv_options(SeriesCvArguments& a) {
  OptionList options;
  options.group("Options");
  options.add("horizon", a.rolling.horizon, "steps that each fit forecasts")
      .at_least(1)
      .required()
      .known_as({"steps", "periods", "h"});
  options.add("folds", a.rolling.folds, "fits, of which the last ends a horizon before the last target")
      .within(1, 1000)
      .basic()
      .known_as({"cv", "k", "splits", "n-splits", "origins", "windows"});
  options
      .add("between", value_of(a.rolling.between), "steps from the end of one fit to that of the next; 0: the horizon")
      .known_as({"period", "stride"});
  declare_interval(options, a.rolling.level, "probability between lower and upper");
  declare_output(options, a.out, "CSV to write: each forecast and what came");
  return options;
}

nlohmann::ordered_json json_of(const RollingScores& s) {
  return {{"n", s.n},       {"rmse", s.rmse},  {"mae", s.mae}, {"crps", s.crps}, {"coverage", s.coverage},
          {"mase", s.mase}, {"skill", s.skill}};
}

void write_forecasts(const std::string& path, const std::vector<RollingForecast>& forecasts) {
  OutputFile out(path);
  out.print("origin,date,step,actual,mean,median,lower,upper,naive\n");
  for (const RollingForecast& f : forecasts)
    out.print(fmt::format("{},{},{},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{}\n", f.origin, csv_cell(f.date), f.lead,
                          f.actual, f.mean, f.median, f.lower, f.upper,
                          std::isnan(f.naive) ? "" : fmt::format("{:.9g}", f.naive)));
  out.place();
}

void print_scores(std::FILE* to, const std::vector<RollingForecast>& forecasts, double level) {
  const std::vector<RollingScores> by_lead = score_by_lead(forecasts);
  const auto line = [&](const std::string& name, const RollingScores& s) {
    fmt::print(to, "{:<6} {:>6} {:>11.4g} {:>11.4g} {:>11.4g} {:>9.3f} {:>7.3f} {:>7.3f}\n", name, s.n, s.rmse, s.mae,
               s.crps, s.coverage, s.mase, s.skill);
  };
  fmt::print(to, "{:<6} {:>6} {:>11} {:>11} {:>11} {:>9} {:>7} {:>7}\n", "step", "rows", "rmse", "mae", "crps",
             "coverage", "mase", "skill");
  const std::size_t every = (by_lead.size() + kMostLines - 1) / kMostLines;
  for (std::size_t lead = every; lead <= by_lead.size(); lead += every)
    if (by_lead[lead - 1].n > 0) line(std::to_string(lead), by_lead[lead - 1]);
  line("all", score(forecasts));
  fmt::print(
      to,
      "coverage is that of the {:g}% interval; mase below 1 and skill above 0: better than the value of a season "
      "ago\n",
      100 * level);
}

int cross_validate(const SeriesCvArguments& arguments, const GivenOptions& given, const Common& common) {
  SeriesConfiguration c = configured<SeriesConfiguration>(given);
  c.note_lengths(given);
  c.settle();
  if (!arguments.out.empty()) refuse_input_as_output(arguments.out, {c.base.data});
  std::vector<std::string> notes;
  if (c.date.empty()) c.date = find_date(c.base.data, c.base.table, c.base.encoding.target);
  const Table table = read_table(c.base.data, with_dates(c.base.table, c.date));
  say(common, table.notes);
  const auto begin = [&](std::size_t fold, const std::string& origin) {
    if (fold == 0) say(common, notes);
    if (!common.quiet)
      fmt::print(stderr, "fold {} of {}: trained up to {}\n", fold + 1, arguments.rolling.folds, origin);
  };
  const RunOptions options{.threads = common.thread_count(), .stop = stop_on_signal()};
  const auto forecasts = rolling_forecasts(c, table, arguments.rolling, options, begin, notes);
  if (options.stop.stop_requested()) throw Error("interrupted; nothing was written");
  if (forecasts.empty()) throw InputError(fmt::format("{}: no target to compare forecasts with", c.base.data));
  if (!arguments.out.empty()) write_forecasts(arguments.out, forecasts);
  std::FILE* const to = arguments.out == kStandardOutput ? stderr : stdout;
  if (!common.json) {
    print_scores(to, forecasts, arguments.rolling.level);
    return good;
  }
  nlohmann::ordered_json json{{"all", json_of(score(forecasts))}, {"steps", nlohmann::ordered_json::array()}};
  const auto by_lead = score_by_lead(forecasts);
  for (std::size_t lead = 1; lead <= by_lead.size(); ++lead) {
    if (by_lead[lead - 1].n == 0) continue;
    auto one = json_of(by_lead[lead - 1]);
    one["step"] = lead;
    json["steps"].push_back(std::move(one));
  }
  fmt::print(to, "{}\n", json.dump(2));
  return good;
}

}  // namespace

void add_series_cv(CLI::App& series, Common& common, Action& action) {
  struct Given {
    GivenOptions own, fit, common;
  };
  CLI::App& verb =
      *series.add_subcommand("cv", "fit up to several dates of the past and score the forecasts from there");
  const auto given = std::make_shared<Given>();
  SeriesCvArguments defaults;
  SeriesConfiguration fit_defaults;
  Common common_defaults;
  const auto needed = [](const Option& option) { return option.is_required(); };
  const auto each_fit = [](const Option& option) {
    return !option.is_required() && option.name() != "train-rows" && option.name() != "train-until";
  };
  add_options(verb, options_of(fit_defaults), given->fit, needed);
  add_options(verb, cv_options(defaults), given->own);
  add_options(verb, options_of(fit_defaults), given->fit, each_fit);
  add_options(verb, options_of(common_defaults), given->common);
  verb.callback([=, &common, &action] {
    action = [=, &common] {
      SeriesCvArguments arguments;
      take(cv_options(arguments), given->own);
      take(options_of(common), given->common);
      return cross_validate(arguments, given->fit, common);
    };
  });
  details_of(verb).known_as = {"cross-validate", "cross-validation", "backtest", "rolling"};
  verb.footer("Example:\n  mbnn series cv visits.csv --target y --season auto --horizon 30 --folds 5");
}

}  // namespace mbnn::app
