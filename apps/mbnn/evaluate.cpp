// mbnn evaluate: how good a fit is on rows whose target is known.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/common/details.h"
#include "apps/mbnn/image.h"
#include "apps/mbnn/table_rows.h"
#include "mbnn/core/error.h"
#include "mbnn/tables/predictive.h"

namespace mbnn::app {

namespace {

struct Arguments {
  RowArguments rows;
  double level = 0.95;
};

int evaluate_table(const Arguments& arguments, const Common& common) {
  if (of_images(arguments.rows))
    return evaluate_images({.fits = {arguments.rows.fit}, .data = arguments.rows.data}, common);
  const FittedRows loaded = read_fit_and_rows(arguments.rows, Encoding::Needs::inputs_and_target, common);
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
                      arguments.rows.data, name));
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

}  // namespace

void add_evaluate(CLI::App& app, Common& common, Action& action) {
  const auto declare = [](Arguments& a) {
    OptionList options;
    options.group("Options");
    declare_fit(options, a.rows.fit);
    declare_table(options, a.rows.data, "a table with the target; for images their directory");
    declare_interval(options, a.level, "probability of the interval whose coverage is counted");
    declare_delimiter(options, a.rows.delimiter);
    return options;
  };
  CLI::App& verb = add_verb<Arguments>(app, "evaluate", "score a fit on rows whose target is known", common, action,
                                       declare, evaluate_table);
  details_of(verb).known_as = {"score", "test", "eval", "validate", "metrics", "valid", "validation", "test-data"};
  verb.footer("Example:\n  mbnn evaluate houses.mbnn sold.csv");
}

}  // namespace mbnn::app
