// mbnn fit: a table in, a posterior over small networks out.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cmath>
#include <memory>

#include "apps/mbnn/declared_options.h"
#include "apps/mbnn/session.h"
#include "mbnn/core/error.h"
#include "mbnn/core/names.h"
#include "mbnn/series/series_fit.h"
#include "mbnn/tables/baselines/methods.h"
#include "mbnn/tables/choose_lambda.h"

namespace mbnn::app {

void say(const Common& common, const std::vector<std::string>& notes) {
  if (common.quiet) return;
  for (const auto& note : notes) fmt::print(stderr, "note: {}\n", note);
}

namespace {

void choose_lambda(Configuration& c, const Encoding& encoding, const Dataset& data, const Common& common) {
  LambdaSearch search;
  search.threads = common.thread_count();
  search.stop = stop_on_signal();
  if (!common.quiet) fmt::print(stderr, "choosing lambda on {:.0f}% of the rows\n", 100 * search.held_out);
  search.report = [&](const LambdaScore& s) {
    if (!common.quiet) fmt::print(stderr, "  lambda {:<6} validation nll {:.4f}\n", s.lambda, s.nll);
  };
  const auto scores = score_lambdas(c, encoding, data, search);
  if (scores.size() < search.values.size()) throw Error("interrupted while choosing lambda; nothing was written");
  c.lambda = best_lambda(scores);
  if (!common.quiet) fmt::print(stderr, "lambda {} chosen\n", c.lambda);
}

// What will be run, for the line that opens a fit.
std::string plan(const Configuration& c) {
  switch (c.method) {
    case Method::ns_vi:
      return fmt::format("{} variational run{} of {} epochs", c.chains, c.chains == 1 ? "" : "s", c.variational.epochs);
    case Method::logistic:
      return "logistic regression";
    default:
      return fmt::format("{} chains of {} + {} x {} iterations ({})", c.chains, c.chain.warmup, c.chain.draws,
                         c.chain.thin, name_of(c.chain.sampler));
  }
}

int fit(const FitArguments& arguments, const Common& common) {
  Configuration c = configured<Configuration>(arguments.given);
  c.check();
  check_out(arguments, c.data);
  Table table = read_table(c.data, c.table);
  std::vector<std::string> notes = table.notes;
  const Encoding encoding = [&] {
    try {
      return Encoding::learn(table, c.encoding, notes);
    } catch (const InputError&) {
      say(common, notes);  // they often hold the reason
      throw;
    }
  }();
  check_method(c.method, encoding.task());
  std::vector<std::string> encode_notes;  // say again what learn() already said
  Dataset data = encoding.encode(std::move(table), Encoding::Needs::inputs_and_target, encode_notes);
  if (c.truncation && encoding.task() == Task::regression) {
    double largest = 0;
    for (float y : data.y) largest = std::max(largest, std::abs(encoding.target_mean() + encoding.target_sd() * y));
    if (*c.truncation < largest)
      notes.push_back(
          fmt::format("--truncate {:g}: predictions stay below the largest target, {:g}", *c.truncation, largest));
  }
  say(common, notes);
  if (c.lambda_choice == LambdaChoice::validated) choose_lambda(c, encoding, data, common);
  stop_on_signal();
  FitFile file = create_fit(arguments.out, c, encoding, data, notes, arguments.force);
  if (!common.quiet)
    fmt::print(stderr, "{} rows, {} inputs, {}; {}\n", data.rows, data.inputs,
               encoding.task() == Task::regression
                   ? fmt::format("target {}", encoding.target())
                   : fmt::format("{} classes of {}", encoding.classes(), encoding.target()),
               plan(c));
  return run_session(file, TrainingData::make(std::move(data), c.chain), common);
}

// With the defaults of all methods, for the help.
OptionList options_with_defaults(Configuration& c) {
  OptionList options = options_of(c);
  for (const Method method : {Method::ns_vi, Method::logistic}) {
    Configuration other;
    other.set_method(method, false);
    options.add_defaults(name_of(method), options_of(other));
  }
  return options;
}

}  // namespace

void add_fit(CLI::App& app, Common& common, Action& action) {
  auto* verb = app.add_subcommand("fit", "sample the posterior of a masked network on a table, or fit a baseline");
  auto arguments = std::make_shared<FitArguments>();
  Configuration defaults;
  add_fit_options(*verb, options_with_defaults(defaults), *arguments);
  add_common_options(*verb, common);
  verb->footer("Example:\n  mbnn fit houses.csv --target price --out houses.mbnn");
  verb->callback([=, &common, &action] { action = [=, &common] { return fit(*arguments, common); }; });
}

}  // namespace mbnn::app
