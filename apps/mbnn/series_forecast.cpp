// mbnn series forecast, evaluate and impact: a fitted series applied to the rows of a table.
#include "mbnn/series/forecast.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/common/details.h"
#include "apps/mbnn/series.h"
#include "apps/mbnn/session.h"
#include "apps/mbnn/write_file.h"
#include "mbnn/core/error.h"
#include "mbnn/core/names.h"
#include "mbnn/core/text.h"
#include "mbnn/judge/mixture.h"

namespace mbnn::app {

namespace {

struct ForecastArguments {
  std::string fit, data, out, from;
  ForecastMode mode = ForecastMode::forecast;
  double level = 0.95;
  bool training = false;
  std::optional<std::size_t> horizon;
  RegressorForecast regressors = RegressorForecast::none;
};

struct LoadedSeries {
  FittedSeries fitted;
  SeriesRows rows;
};

// Without a table: the steps that were asked for, or the rows that the fitted table had behind its last target.
SeriesRows rows_without_table(const FittedSeries& fitted, const ForecastArguments& arguments) {
  if (!arguments.horizon && fitted.future.times.empty())
    throw InputError(fmt::format(
        "{} has no rows behind its last target: give --horizon N for the next steps, or a table", arguments.fit));
  SeriesRows rows = arguments.horizon ? next_rows(fitted, *arguments.horizon, arguments.regressors) : fitted.future;
  return arguments.training ? joined(training_rows(fitted), rows) : rows;
}

LoadedSeries load(const ForecastArguments& arguments, TargetColumn target, const Common& common) {
  if (!arguments.data.empty()) refuse_swapped(arguments.fit, arguments.data);
  const FitFile file = FitFile::open(arguments.fit, FitFile::Mode::read);
  const auto problem = problem_of(file);
  if (problem->kind() != "series")
    throw InputError(fmt::format("{} is the fit of a {}, not of a series: use mbnn predict or mbnn evaluate",
                                 arguments.fit, problem->kind() == "image" ? "set of images" : "table"));
  std::vector<std::string> unfinished;
  require_draws(file, *problem, unfinished);
  LoadedSeries loaded{FittedSeries::read(file), {}};
  if (arguments.data.empty()) {
    loaded.rows = rows_without_table(loaded.fitted, arguments);
    say(common, unfinished);
    return loaded;
  }
  Table table = read_table(arguments.data, with_dates(loaded.fitted.regression.table_options(), loaded.fitted.date));
  std::vector<std::string> notes = table.notes;
  std::ranges::move(unfinished, std::back_inserter(notes));
  loaded.rows = read_series_rows(loaded.fitted, std::move(table), target, notes);
  say(common, notes);
  return loaded;
}

// A component may be known exactly by a draw, and then has no density: bounds of the draws themselves.
double quantile(double p, const SeriesPrediction::Law& law) {
  if (*std::min_element(law.sds.begin(), law.sds.end()) > 0) return mixture_quantile(p, law.means, law.sds);
  std::vector<double> sorted = law.means;
  std::sort(sorted.begin(), sorted.end());
  const double at = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

std::string bounds(const SeriesPrediction::Law& law, double tail) {
  return fmt::format("{:.9g},{:.9g},{:.9g}", mean(law.means), quantile(tail, law), quantile(1 - tail, law));
}

int forecast(const ForecastArguments& arguments, const Common& common) {
  refuse_input_as_output(arguments.out, {arguments.fit, arguments.data});
  if (arguments.horizon && !arguments.data.empty())
    throw InputError(
        fmt::format("--horizon and {}: give the number of steps or a table that has them", arguments.data));
  const bool nowcast = arguments.mode == ForecastMode::nowcast;
  if (nowcast && arguments.data.empty())
    throw InputError("--mode nowcast takes in the targets as they come: it needs a table that has them");
  const LoadedSeries loaded = load(arguments, nowcast ? TargetColumn::required : TargetColumn::optional, common);
  if (!arguments.training && loaded.rows.times.back() < loaded.fitted.data.steps)
    throw InputError(
        fmt::format("{}: all rows lie within the training period; --with-training writes those, and --horizon N in "
                    "place of the table the next N steps",
                    arguments.data));
  const SeriesForecaster forecaster(loaded.fitted);
  const double tail = (1 - arguments.level) / 2;
  OutputFile out(arguments.out);
  std::string header = "date,mean,sd,lower,upper";
  auto names = component_names(loaded.fitted.options);
  if (loaded.fitted.options.regression != Regression::none) names.push_back("regression");
  for (const auto& name : names) header += fmt::format(",{0},{0}_lower,{0}_upper", name);
  out.print(header + "\n");
  std::size_t written = 0;
  auto print = [&](const SeriesPrediction& p) {
    const auto& law = p.target;
    std::string line =
        fmt::format("{},{:.9g},{:.9g},{:.9g},{:.9g}", csv_cell(loaded.rows.dates[p.row]),
                    mixture_mean(law.means, law.sds), mixture_sd(law.means, law.sds),
                    mixture_quantile(tail, law.means, law.sds), mixture_quantile(1 - tail, law.means, law.sds));
    for (const auto& component : p.components) line += "," + bounds(component, tail);
    if (loaded.fitted.options.regression != Regression::none)
      line += "," + bounds({p.regression, std::vector<double>(p.regression.size(), 0.0)}, tail);
    out.print(line + "\n");
    ++written;
  };
  if (arguments.training) forecaster.for_each_training_row(loaded.rows, print);
  forecaster.for_each_row(loaded.rows, arguments.mode, print);
  out.place();
  out.report({{"file", arguments.out}, {"rows", written}, {"mode", name_of(arguments.mode)}}, common);
  return good;
}

int evaluate_rows(const ForecastArguments& arguments, const Common& common) {
  const LoadedSeries loaded = load(arguments, TargetColumn::required, common);
  const SeriesScores scores = evaluate_series(loaded.fitted, loaded.rows, arguments.level);
  if (scores.forecast.n == 0)
    throw InputError(fmt::format("{}: no row after the training period has a target", arguments.data));
  const std::pair<const char*, RegressionMetrics> modes[] = {{"forecast", scores.forecast},
                                                             {"nowcast", scores.nowcast}};
  if (common.json) {
    nlohmann::ordered_json json;
    for (const auto& [name, m] : modes)
      json[name] = {{"n", m.n}, {"rmse", m.rmse}, {"nll", m.nll}, {"crps", m.crps}, {"coverage", m.coverage}};
    fmt::print("{}\n", json.dump(2));
    return good;
  }
  fmt::print("{:<9} {:>6} {:>11} {:>11} {:>11} {:>9}\n", "", "rows", "rmse", "nll", "crps", "coverage");
  for (const auto& [name, m] : modes)
    fmt::print("{:<9} {:>6} {:>11.4f} {:>11.4f} {:>11.4f} {:>9.3f}   (of the {:g}% interval)\n", name, m.n, m.rmse,
               m.nll, m.crps, m.coverage, 100 * arguments.level);
  return good;
}

int impact(const ForecastArguments& arguments, const Common& common) {
  if (!arguments.out.empty()) refuse_input_as_output(arguments.out, {arguments.fit, arguments.data});
  const LoadedSeries loaded = load(arguments, TargetColumn::required, common);
  const std::int64_t from = loaded.fitted.axis.step_from(arguments.from, "from");
  const double tail = (1 - arguments.level) / 2;
  std::unique_ptr<OutputFile> out;
  if (!arguments.out.empty()) {
    out = std::make_unique<OutputFile>(arguments.out);
    out->print(
        "date,actual,counterfactual,counterfactual_lower,counterfactual_upper,"
        "effect,effect_lower,effect_upper,cumulative,cumulative_lower,cumulative_upper\n");
  }
  std::size_t rows = 0, known = 0;
  double actual = 0, below_zero = 0;
  SeriesPrediction::Law total;
  SeriesForecaster(loaded.fitted).for_each_effect(loaded.rows, from, [&](const SeriesForecaster::Effect& e) {
    ++rows;
    const bool observed = !std::isnan(e.actual);
    if (observed) {
      ++known;
      actual += e.actual;
      total = e.cumulative;
    }
    if (!out) return;
    SeriesPrediction::Law effect = e.counterfactual;
    for (double& m : effect.means) m = e.actual - m;
    out->print(fmt::format("{},{},{},{},{}\n", csv_cell(loaded.rows.dates[e.row]),
                           observed ? fmt::format("{:.9g}", e.actual) : "", bounds(e.counterfactual, tail),
                           observed ? bounds(effect, tail) : ",,", known > 0 ? bounds(e.cumulative, tail) : ",,"));
  });
  if (known == 0) throw InputError(fmt::format("{}: no row from {} on has a target", arguments.data, arguments.from));
  if (out) out->place();
  const double effect = mixture_mean(total.means, total.sds), low = quantile(tail, total),
               high = quantile(1 - tail, total);
  below_zero = mixture_cdf(0, total.means, total.sds);
  std::FILE* const report = out ? out->messages() : stdout;
  if (common.json) {
    nlohmann::ordered_json json{
        {"rows", known}, {"actual", actual}, {"counterfactual", actual - effect},       {"effect", effect},
        {"lower", low},  {"upper", high},    {"probability_above_zero", 1 - below_zero}};
    if (out) json["file"] = arguments.out;
    fmt::print(report, "{}\n", json.dump(2));
    return good;
  }
  fmt::print(report, "{} rows from {} on\n", known, arguments.from);
  fmt::print(report, "actual          {:.6g} in all, {:.6g} a step\n", actual, actual / static_cast<double>(known));
  fmt::print(report, "counterfactual  {:.6g}\n", actual - effect);
  fmt::print(report,
             "effect          {:.6g}, with {:g}% probability in [{:.6g}, {:.6g}]; above zero with probability {:.3f}\n",
             effect, 100 * arguments.level, low, high, 1 - below_zero);
  if (out) fmt::print(report, "{} rows in {}\n", rows, arguments.out);
  return good;
}

// What all of them take.
OptionList with_series(ForecastArguments& a, const char* table, bool needs_table = true) {
  OptionList options;
  options.group("Options");
  declare_fit(options, a.fit);
  declare_table(options, a.data, table, {"future"}).required(needs_table);
  declare_interval(options, a.level, "probability between lower and upper");
  return options;
}

OptionList forecast_options(ForecastArguments& a) {
  OptionList options = with_series(
      a, "a table with dates and regressors; rows of the training period are passed over; without one: --horizon",
      false);
  options
      .add("horizon", value_of(a.horizon, "the rows without a target"), "without a table: so many steps after training")
      .at_least(1)
      .basic()
      .known_as({"steps", "periods", "until", "h", "n-ahead", "ahead"});
  options
      .add("regressor-forecast", a.regressors,
           "what stands in for regressors that are not known: those of the last training row, or their means")
      .only({[&a] { return a.horizon.has_value(); }, "with a horizon"});
  options
      .add("mode", a.mode,
           "forecast: from regressors only; nowcast: one step ahead, taking in each target once predicted")
      .basic();
  a.out = kStandardOutput;
  declare_output(options, a.out, "CSV to write: date,mean,sd,lower,upper, then each component with its bounds");
  options.add("with-training", flag_value(a.training), "also the rows of the training period, given all its targets")
      .basic();
  return options;
}

OptionList evaluation_options(ForecastArguments& a) {
  return with_series(a, "a table with dates, regressors and the target");
}

OptionList impact_options(ForecastArguments& a) {
  OptionList options = with_series(a, "a table with dates, regressors and the target");
  options.add("from", a.from, "the date of the intervention; the fit must have been trained before it")
      .kind("DATE")
      .required()
      .known_as({"date", "start", "since", "intervention", "event"});
  declare_output(options, a.out, "CSV to write: effects by date and their sum, with bounds");
  return options;
}

}  // namespace

void add_series_forecast(CLI::App& series, Common& common, Action& action) {
  CLI::App& verb =
      add_verb<ForecastArguments>(series, "forecast", "what comes after the training period, with its components",
                                  common, action, forecast_options, forecast);
  details_of(verb).known_as = {"predict", "prediction", "nowcast", "horizon"};
  verb.footer(
      "Examples:\n  mbnn series forecast visits.mbnn --horizon 30 --out next.csv\n"
      "  mbnn series forecast sales.mbnn future.csv --out forecast.csv");
}

void add_series_evaluate(CLI::App& series, Common& common, Action& action) {
  add_verb<ForecastArguments>(series, "evaluate", "score forecasts and nowcasts on rows after the training period",
                              common, action, evaluation_options, evaluate_rows)
      .footer("Example:\n  mbnn series evaluate sales.mbnn sales.csv");
}

void add_series_impact(CLI::App& series, Common& common, Action& action) {
  CLI::App& verb =
      add_verb<ForecastArguments>(series, "impact", "what an intervention changed: actual minus counterfactual", common,
                                  action, impact_options, impact);
  details_of(verb).known_as = {"effect", "causal", "intervention"};
  verb.footer("Example:\n  mbnn series impact sales.mbnn sales.csv --from 2023-07-01 --out effects.csv");
}

}  // namespace mbnn::app
