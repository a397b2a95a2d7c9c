// mbnn predict: what a fit says of the rows of a table.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/common/details.h"
#include "apps/mbnn/image.h"
#include "apps/mbnn/row_format.h"
#include "apps/mbnn/table_rows.h"
#include "apps/mbnn/write_file.h"
#include "mbnn/core/error.h"
#include "mbnn/tables/answers.h"

namespace mbnn::app {

namespace {

struct PredictArguments {
  RowArguments rows;
  std::string out = kStandardOutput;
  std::optional<Format> format;
  AnswerOptions answers;
};

// An image has the probabilities of its classes, and no columns.
void refuse_for_images(const PredictArguments& a) {
  const std::pair<const char*, bool> of_tables[] = {{"quantiles", !a.answers.quantiles.empty()},
                                                    {"above", !a.answers.above.empty()},
                                                    {"samples", a.answers.samples > 0},
                                                    {"parts", a.answers.parts},
                                                    {"keep", !a.rows.keep.empty()},
                                                    {"format", a.format.has_value()}};
  for (const auto& [option, given] : of_tables)
    if (given) throw OptionError(option, fmt::format(": {} is a fit of images; this is for tables", a.rows.fit));
}

// The names of all columns; those that are kept come first.
std::vector<std::string> column_names(const FittedRows& loaded, const Answers& answers) {
  std::vector<std::string> kept, own;
  if (loaded.fitted.encoding.task() == Task::classification) own.push_back("class");
  for (const auto& column : answers.columns()) own.push_back(column.name);
  for (const auto& column : loaded.kept) {
    const std::string& name = column.name();
    if (std::ranges::find(own, name) != own.end() || std::ranges::find(kept, name) != kept.end())
      throw OptionError("keep", fmt::format(" = {0}: the predictions would have two columns called {0}", name));
    kept.push_back(name);
  }
  kept.insert(kept.end(), own.begin(), own.end());
  return kept;
}

int predict(const PredictArguments& arguments, const Common& common) {
  const RowArguments& rows = arguments.rows;
  if (of_images(rows)) {
    refuse_for_images(arguments);
    return predict_images({.fits = {rows.fit}, .data = rows.data, .out = arguments.out}, common);
  }
  refuse_input_as_output(arguments.out, {rows.fit, rows.data});
  const FittedRows loaded = read_fit_and_rows(rows, Encoding::Needs::inputs, common);
  const Answers answers(loaded.fitted, arguments.answers);
  const auto& labels = loaded.fitted.encoding.labels();
  const RowFormat format(format_of(arguments.format, arguments.out), column_names(loaded, answers));
  OutputFile out(arguments.out);
  out.print(format.header());
  const auto line = [&](const RowPrediction& row) {
    const Answer answer = answers.answer(row);
    RowFormat::Line cells(format);
    for (const CopiedColumn& column : loaded.kept) cells.add(column[row.row]);
    if (answer.label >= 0) cells.add(labels[static_cast<std::size_t>(answer.label)]);
    for (std::size_t i = 0; i < answer.values.size(); ++i) {
      if (!std::isfinite(answer.values[i]))
        throw InputError(
            fmt::format("{}, row {}: the networks give no finite number there; are its inputs far outside those of the "
                        "training rows?",
                        rows.data, row.row + 1));
      cells.add(answer.values[i], answers.columns()[i].place ? answer.digits : 9);
    }
    return cells.finish();
  };
  Predictive(loaded.fitted)
      .for_each_row(loaded.data, common.thread_count(), line,
                    [&](std::size_t, const std::string& text) { out.print(text); });
  out.place();
  out.report({{"file", arguments.out}, {"rows", loaded.data.rows}}, common);
  return good;
}

OptionList options_of(PredictArguments& a) {
  OptionList options;
  options.group("Options");
  declare_fit(options, a.rows.fit);
  declare_table(options, a.rows.data, "a table with the columns that the fit was made on; for images their directory");
  declare_output(options, a.out,
                 "table to write, a row for each input row: mean,sd,lower,upper or class,p_LABEL,..., then what else "
                 "is asked for");
  declare_interval(options, a.answers.interval, "probability between lower and upper");
  options
      .add("quantiles", a.answers.quantiles,
           "columns q10, q50, ... with the quantiles of these levels: .1,.5,.9; .5 is the median")
      .basic()
      .known_as({"quantile", "percentiles", "percentile", "probs", "median", "q"});
  options.add("above", a.answers.above, "columns above_C with the probability that the target is above C: 10,20")
      .basic()
      .known_as({"threshold", "exceeds", "exceedance", "greater", "below", "cutoff"});
  options
      .add("parts", flag_value(a.answers.parts),
           "columns sd_function and sd_noise, whose squares sum up to that of sd; of classes sd_LABEL, of each "
           "probability over the draws")
      .basic()
      .known_as({"epistemic", "aleatoric", "components", "decompose", "std", "return-std"});
  options
      .add("samples", a.answers.samples,
           "columns s1, s2, ...: N draws of the target; each column is one network in all rows, so sums over rows may "
           "be taken")
      .at_most(100000)
      .basic()
      .known_as({"num-samples", "n-samples", "posterior-samples", "simulate"});
  options.add("seed", value_of(a.answers.seed, "the fit's"), "of the samples: the same seed gives the same bits")
      .only({[&a] { return a.answers.samples > 0; }, "with samples"})
      .basic()
      .known_as({"random-state", "random-seed"});
  options
      .add("keep", a.rows.keep,
           "columns of the table to copy to the front, as they are written there: a,b,... or given several times")
      .kind("COLUMNS")
      .basic()
      .known_as({"id", "ids", "id-column", "copy", "with-inputs", "passthrough", "index"});
  declare_format(options, a.format);
  declare_delimiter(options, a.rows.delimiter);
  return options;
}

}  // namespace

void add_predict(CLI::App& app, Common& common, Action& action) {
  CLI::App& verb = add_verb<PredictArguments>(
      app, "predict", "means, intervals, quantiles, draws or class probabilities for new rows", common, action,
      [](PredictArguments& a) { return options_of(a); }, predict);
  details_of(verb).known_as = {"apply", "infer", "inference", "transform", "prediction", "predictions"};
  verb.footer(
      "Example:\n  mbnn predict houses.mbnn new.csv --keep id --quantiles .1,.5,.9 --above 500 --out predictions.csv");
}

}  // namespace mbnn::app
