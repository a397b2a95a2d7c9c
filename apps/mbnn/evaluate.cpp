// mbnn evaluate: how good a fit is on rows whose target is known.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "apps/common/details.h"
#include "apps/mbnn/evaluation_text.h"
#include "apps/mbnn/image.h"
#include "apps/mbnn/table_rows.h"
#include "mbnn/core/error.h"
#include "mbnn/tables/evaluation.h"
#include "mbnn/tables/training_rows.h"

namespace mbnn::app {

namespace {

struct EvaluateArguments {
  RowArguments rows;
  double level = 0.95;
};

int evaluate_table(const EvaluateArguments& arguments, const Common& common) {
  if (of_images(arguments.rows))
    return evaluate_images({.fits = {arguments.rows.fit}, .data = arguments.rows.data}, common);
  const FittedRows loaded = read_fit_and_rows(arguments.rows, Encoding::Needs::inputs_and_target, common);
  const Constant constant = Constant::of(stored_target(loaded.file, loaded.fitted.encoding), loaded.fitted.encoding);
  const Evaluation result = evaluate(loaded.fitted, loaded.data, arguments.level, common.thread_count(), constant);
  if (const std::string name = first_without_value(result); !name.empty())
    throw InputError(
        fmt::format("{}: {} is no finite number, since the networks give none for some rows: mbnn predict names the "
                    "first of them",
                    arguments.rows.data, name));
  if (common.json)
    fmt::print("{}\n", to_json(result).dump(2));
  else
    print_evaluation(result);
  return good;
}

}  // namespace

void add_evaluate(CLI::App& app, Common& common, Action& action) {
  const auto declare = [](EvaluateArguments& a) {
    OptionList options;
    options.group("Options");
    declare_fit(options, a.rows.fit);
    declare_table(options, a.rows.data, "a table with the target; for images their directory");
    declare_interval(options, a.level, "probability of the interval whose coverage is counted");
    declare_delimiter(options, a.rows.delimiter);
    return options;
  };
  CLI::App& verb = add_verb<EvaluateArguments>(app, "evaluate", "score a fit on rows whose target is known", common,
                                               action, declare, evaluate_table);
  details_of(verb).known_as = {"score", "test", "eval", "validate", "metrics", "valid", "validation", "test-data"};
  verb.footer("Example:\n  mbnn evaluate houses.mbnn sold.csv");
}

}  // namespace mbnn::app
