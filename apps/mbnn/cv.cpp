// mbnn cv: what a fit is worth on rows that it has not seen, by fits to parts of one table.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/common/details.h"
#include "apps/mbnn/evaluation_text.h"
#include "apps/mbnn/progress.h"
#include "apps/mbnn/session.h"
#include "mbnn/core/clock.h"
#include "mbnn/core/error.h"
#include "mbnn/tables/cross_validation.h"

namespace mbnn::app {

namespace {

struct CvArguments {
  std::size_t folds = 5;
  double level = 0.95;
  std::string keep;  // the directory for fits; empty: none are kept
  GivenOptions given;
};

struct ScoredFold {
  Evaluation evaluation;
  std::size_t training_rows;
  double seconds;
};

std::string fit_path(const CvArguments& arguments, std::size_t fold) {
  return (std::filesystem::path(arguments.keep) / fmt::format("fold{}.mbnn", fold + 1)).string();
}

void make_directory(const CvArguments& arguments) {
  if (arguments.keep.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(arguments.keep, error);
  if (!std::filesystem::is_directory(arguments.keep))
    throw OptionError("keep-fits", fmt::format(" = {}: no directory can be made there", arguments.keep));
  for (std::size_t fold = 0; fold < arguments.folds; ++fold)
    if (const std::string path = fit_path(arguments, fold); std::filesystem::exists(path))
      throw OptionError("keep-fits", fmt::format(" = {}: {} exists: choose another directory", arguments.keep, path));
}

// Empty if it was stopped.
std::optional<FittedModel> fitted_to(TableProblem& problem, const std::string& path, const RunOptions& options) {
  if (!problem.prepare(options)) return {};
  if (!path.empty()) {
    FitFile file = create(problem, path, false);
    if (!run(file, problem, options)) return {};
    return FittedModel::read(file);
  }
  DrawLists draws;
  if (!run_in_memory(problem, options, draws)) return {};
  return fitted_model(problem, std::move(draws));
}

std::vector<std::pair<const char*, double>> main_figures(const Evaluation& e) {
  const auto& r = e.regression;
  const auto& c = e.classification;
  if (e.task == Task::regression)
    return {{"rmse", r.rmse}, {"mae", r.mae}, {"nll", r.nll}, {"crps", r.crps}, {"coverage", r.coverage}};
  return {{"accuracy", c.accuracy}, {"nll", c.nll}, {"brier", c.brier}, {"auc", e.auc}};
}

void print_folds(const std::vector<ScoredFold>& scored, const Evaluation& pooled) {
  fmt::print("{:<6} {:>6}", "fold", "rows");
  for (const auto& [name, value] : main_figures(pooled)) fmt::print(" {:>10}", name);
  for (std::size_t i = 0; i < scored.size(); ++i) {
    fmt::print("\n{:<6} {:>6}", i + 1, scored[i].evaluation.rows());
    for (const auto& [name, value] : main_figures(scored[i].evaluation)) fmt::print(" {:>10.5g}", value);
  }
  fmt::print("\n\nall rows, each by the fit that has not seen it\n");
  print_evaluation(pooled);
}

nlohmann::ordered_json json_of(const std::vector<ScoredFold>& scored, const Evaluation& pooled, std::size_t folds) {
  nlohmann::ordered_json json{{"finished", scored.size() == folds}, {"folds", nlohmann::ordered_json::array()}};
  for (std::size_t i = 0; i < scored.size(); ++i) {
    nlohmann::ordered_json fold{
        {"fold", i + 1}, {"training_rows", scored[i].training_rows}, {"seconds", scored[i].seconds}};
    fold.update(to_json(scored[i].evaluation));
    json["folds"].push_back(std::move(fold));
  }
  json["pooled"] = scored.empty() ? nlohmann::ordered_json(nullptr) : to_json(pooled);
  return json;
}

void say_fold(const ScoredFold& fold, std::size_t done, std::size_t folds, double seconds_left) {
  std::string figures;
  for (const auto& [name, value] : main_figures(fold.evaluation)) figures += fmt::format("{} {:.4g}, ", name, value);
  fmt::print(stderr, "fold {} of {}: {}in {}{}\n", done, folds, figures, clock_time(fold.seconds),
             done < folds ? fmt::format("; about {} left", clock_time(seconds_left)) : "");
}

CrossValidation read_folds(const Configuration& c, const CvArguments& arguments, const Common& common) {
  std::vector<std::string> notes;
  try {
    CrossValidation folds(c, read_table(c.data, c.table), arguments.folds, arguments.level, notes);
    say(common, notes);
    return folds;
  } catch (const InputError&) {
    say(common, notes);  // they often hold the reason
    throw;
  }
}

int cross_validate(const CvArguments& arguments, const Common& common) {
  const Configuration c = configured<Configuration>(arguments.given);
  c.check();
  make_directory(arguments);
  CrossValidation cv = read_folds(c, arguments, common);
  if (!common.quiet)
    fmt::print(stderr, "{} rows in {} folds, target {}\n", cv.rows(), cv.folds(), cv.columns().target());
  const std::stop_token stop = stop_on_signal();
  const Stopwatch all;
  std::vector<ScoredFold> scored;
  while (scored.size() < cv.folds()) {
    const std::size_t fold = scored.size();
    const Stopwatch watch;
    TableProblem problem = cv.problem(fold);
    Progress progress(problem.chains(), common.thread_count(), problem.length(), common.quiet,
                      fmt::format("fold {} of {}: ", fold + 1, cv.folds()));
    const auto fitted = fitted_to(problem, arguments.keep.empty() ? "" : fit_path(arguments, fold),
                                  {.threads = common.thread_count(),
                                   .report = [&](const Status& status) { progress.show(status); },
                                   .stop = stop});
    progress.finish();
    if (!fitted) break;
    scored.push_back({cv.score(fold, problem, *fitted, common.thread_count()), problem.rows().rows, watch.seconds()});
    const std::string missing = first_without_value(scored.back().evaluation);
    if (!missing.empty())
      throw InputError(fmt::format("fold {}: {} is no finite number, since the networks give none for some rows",
                                   fold + 1, missing));
    const double done = static_cast<double>(scored.size());
    if (!common.quiet)
      say_fold(scored.back(), scored.size(), cv.folds(),
               all.seconds() / done * (static_cast<double>(cv.folds()) - done));
  }
  const bool finished = scored.size() == cv.folds();
  const Evaluation pooled = cv.result();
  if (common.json)
    fmt::print("{}\n", json_of(scored, pooled, cv.folds()).dump(2));
  else if (!scored.empty())
    print_folds(scored, pooled);
  if (finished) return good;
  fmt::print(stderr, "interrupted: {} of {} folds were done{}\n", scored.size(), cv.folds(),
             scored.empty() ? "" : ", and the figures are of their rows alone");
  return failed;
}

OptionList options_of(CvArguments& a) {
  OptionList options;
  options.group("Options");
  options.add("folds", a.folds, "parts of the table; the seed deals the rows, each class evenly")
      .at_least(2)
      .basic()
      .known_as({"cv", "k", "n-folds", "n-splits", "splits", "kfold", "k-fold"});
  declare_interval(options, a.level, "probability of the interval whose coverage is counted");
  OptionValue keep = value_of(a.keep);
  keep.show = [] { return "none are kept"; };
  options.add("keep-fits", keep, "a directory for the fits: fold1.mbnn, ...")
      .kind("DIRECTORY")
      .basic()
      .known_as({"out", "save", "output"});
  return options;
}

}  // namespace

void add_cv(CLI::App& app, Common& common, Action& action) {
  Configuration defaults;
  CLI::App& verb = add_fitting_verb<CvArguments>(
      app, "cv", "score a kind of fit by cross-validation: on rows of the table that it has not seen",
      options_with_defaults(defaults), common, action, [](CvArguments& a) { return options_of(a); }, cross_validate);
  details_of(verb).known_as = {"cross-validate", "crossvalidate", "cross-validation", "kfold", "k-fold", "folds"};
  verb.footer("Example:\n  mbnn cv houses.csv --target price --folds 5");
}

}  // namespace mbnn::app
