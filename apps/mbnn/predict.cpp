// mbnn predict and mbnn evaluate: a fit applied to the rows of a table.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/common/details.h"
#include "apps/mbnn/image.h"
#include "apps/mbnn/session.h"
#include "apps/mbnn/verbs.h"
#include "apps/mbnn/write_file.h"
#include "mbnn/core/error.h"
#include "mbnn/core/text.h"
#include "mbnn/judge/mixture.h"
#include "mbnn/mbnn.h"
#include "mbnn/sample/shared_options.h"
#include "mbnn/tables/configuration_options.h"

namespace mbnn::app {

namespace {

struct Arguments {
  std::string fit, data, out = kStandardOutput;
  double level = 0.95;
  std::optional<char> delimiter = {};
};

struct Loaded {
  FittedModel fitted;
  Dataset data;
};

Loaded load(const Arguments& arguments, Encoding::Needs needs, const Common& common) {
  const FitFile file = FitFile::open(arguments.fit, FitFile::Mode::read);
  const auto problem = problem_of(file);
  if (problem->kind() == "series")
    throw InputError(
        fmt::format("{} is the fit of a series: use mbnn series forecast or mbnn series evaluate", arguments.fit));
  std::vector<std::string> unfinished;
  require_draws(file, *problem, unfinished);
  Loaded loaded{FittedModel::read(file), {}};
  const Encoding& encoding = loaded.fitted.encoding;
  TableOptions table_options = loaded.fitted.table_options();
  if (arguments.delimiter) table_options.delimiter = arguments.delimiter;
  Table table = read_table(arguments.data, table_options);
  std::vector<std::string> notes = table.notes;
  std::ranges::move(unfinished, std::back_inserter(notes));
  loaded.data = encoding.encode(std::move(table), needs, notes);
  say(common, notes);
  return loaded;
}

// Significant digits of numbers near `mean` that differ by something like `sd`: of a time in seconds, all.
int digits_beside(double mean, double sd) {
  const double ratio = std::abs(mean) / sd;
  return ratio > 1e4 ? std::min(17, 5 + static_cast<int>(std::ceil(std::log10(std::min(ratio, 1e15))))) : 9;
}

// A directory of images is read by the networks of an image fit.
bool of_images(const Arguments& arguments) {
  refuse_swapped(arguments.fit, arguments.data);
  return kind_of(FitFile::open(arguments.fit, FitFile::Mode::read)) == "image";
}

int predict(const Arguments& arguments, const Common& common) {
  if (of_images(arguments))
    return predict_images({.fits = {arguments.fit}, .data = arguments.data, .out = arguments.out}, common);
  refuse_input_as_output(arguments.out, {arguments.fit, arguments.data});
  const Loaded loaded = load(arguments, Encoding::Needs::inputs, common);
  const bool regression = loaded.fitted.encoding.task() == Task::regression;
  const auto& labels = loaded.fitted.encoding.labels();
  OutputFile out(arguments.out);
  if (regression) {
    out.print("mean,sd,lower,upper\n");
  } else {
    out.print("class");
    for (const auto& label : labels) out.print("," + csv_cell("p_" + label));
    out.print("\n");
  }
  const double tail = (1 - arguments.level) / 2;
  const auto require_finite = [&](double value, std::size_t row) {
    if (std::isfinite(value)) return;
    throw InputError(
        fmt::format("{}, row {}: the networks give no finite number there; are its inputs far outside those of the "
                    "training rows?",
                    arguments.data, row + 1));
  };
  const auto line = [&](const RowPrediction& row) {
    if (regression) {
      const double mean = mixture_mean(row.means, row.sds, row.weights);
      const double sd = mixture_sd(row.means, row.sds, row.weights);
      require_finite(mean + sd, row.row);
      const int digits = digits_beside(mean, sd);
      return fmt::format("{:.{}g},{:.9g},{:.{}g},{:.{}g}\n", mean, digits, sd,
                         mixture_quantile(tail, row.means, row.sds, row.weights), digits,
                         mixture_quantile(1 - tail, row.means, row.sds, row.weights), digits);
    }
    const auto& p = row.probabilities;
    require_finite(p[0], row.row);
    std::string text = csv_cell(labels[static_cast<std::size_t>(std::max_element(p.begin(), p.end()) - p.begin())]);
    for (double value : p) text += fmt::format(",{:.9g}", value);
    return text + "\n";
  };
  Predictive(loaded.fitted)
      .for_each_row(loaded.data, common.thread_count(), line,
                    [&](std::size_t, const std::string& text) { out.print(text); });
  out.place();
  out.report({{"file", arguments.out}, {"rows", loaded.data.rows}}, common);
  return good;
}

int evaluate_table(const Arguments& arguments, const Common& common) {
  if (of_images(arguments)) return evaluate_images({.fits = {arguments.fit}, .data = arguments.data}, common);
  const Loaded loaded = load(arguments, Encoding::Needs::inputs_and_target, common);
  const EvaluationResult result = evaluate(loaded.fitted, loaded.data, arguments.level, common.thread_count());
  std::vector<std::pair<std::string, double>> figures;
  std::size_t n;
  if (result.task == Task::regression) {
    const RegressionMetrics& m = result.regression;
    n = m.n;
    figures = {{"rmse", m.rmse}, {"nll", m.nll}, {"crps", m.crps}, {"coverage", m.coverage}};
  } else {
    const ClassificationMetrics& m = result.classification;
    n = m.n;
    figures = {{"accuracy", m.accuracy}, {"nll", m.nll}, {"ece", m.ece}, {"brier", m.brier}};
  }
  for (const auto& [name, value] : figures)
    if (n > 0 && !std::isfinite(value))
      throw InputError(
          fmt::format("{}: {} is no finite number, since the networks give none for some rows: mbnn predict names the "
                      "first of them",
                      arguments.data, name));
  if (common.json) {
    nlohmann::ordered_json json{{"n", n}};
    for (const auto& [name, value] : figures) json[name] = value;
    fmt::print("{}\n", json.dump(2));
  } else {
    fmt::print("{:<9} {}\n", "rows", n);
    for (const auto& [name, value] : figures) {
      // An error in small units keeps its digits.
      fmt::print("{:<9} {}", name,
                 std::abs(value) < 0.01 ? fmt::format("{:.4g}", value) : fmt::format("{:.4f}", value));
      if (name == "coverage") fmt::print("   (of the {:g}% interval)", 100 * arguments.level);
      fmt::print("\n");
    }
  }
  return good;
}

void declare_delimiter(OptionList& options, std::optional<char>& delimiter) {
  options.add("delimiter", delimiter_value(delimiter, "as for the fit, or told from the file"), "between cells")
      .basic()
      .known_as(delimiter_words());
}

}  // namespace

void add_predict(CLI::App& app, Common& common, Action& action) {
  const auto declare = [](Arguments& a) {
    OptionList options;
    options.group("Options");
    declare_fit(options, a.fit);
    declare_table(options, a.data, "a table with the columns that the fit was made on; for images their directory");
    declare_output(options, a.out, "CSV to write, a row for each input row: mean,sd,lower,upper or class,p_LABEL,...");
    declare_interval(options, a.level, "probability between lower and upper");
    declare_delimiter(options, a.delimiter);
    return options;
  };
  CLI::App& verb = add_verb<Arguments>(app, "predict", "means, intervals or class probabilities for new rows", common,
                                       action, declare, predict);
  details_of(verb).known_as = {"apply", "infer", "inference", "transform", "prediction", "predictions"};
  verb.footer("Example:\n  mbnn predict houses.mbnn new.csv --out predictions.csv");
}

void add_evaluate(CLI::App& app, Common& common, Action& action) {
  const auto declare = [](Arguments& a) {
    OptionList options;
    options.group("Options");
    declare_fit(options, a.fit);
    declare_table(options, a.data, "a table with the target; for images their directory");
    declare_interval(options, a.level, "probability of the interval whose coverage is counted");
    declare_delimiter(options, a.delimiter);
    return options;
  };
  CLI::App& verb = add_verb<Arguments>(app, "evaluate", "score a fit on rows whose target is known", common, action,
                                       declare, evaluate_table);
  details_of(verb).known_as = {"score", "test", "eval", "validate", "metrics", "valid", "validation", "test-data"};
  verb.footer("Example:\n  mbnn evaluate houses.mbnn sold.csv");
}

}  // namespace mbnn::app
