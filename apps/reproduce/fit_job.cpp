#include "apps/reproduce/fit_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "apps/reproduce/engine.h"
#include "mbnn/core/clock.h"
#include "mbnn/core/error.h"
#include "mbnn/store/checksum.h"
#include "mbnn/tables/evaluation.h"
#include "mbnn/tables/table_problem.h"
#include "mbnn/tables/training_rows.h"

namespace mbnn::studies {

namespace fs = std::filesystem;

namespace {

std::string cost_path(const JobContext& context) { return fit_path(context.directory, context.name) + ".cost"; }

}  // namespace

std::string fit_path(const std::string& directory, const std::string& name) {
  return fmt::format("{}/fits/{}.mbnn", directory, name);
}

Cost earlier_cost(const JobContext& context) {
  Cost cost;
  std::ifstream file(cost_path(context));
  file >> cost.seconds >> cost.cpu_seconds;
  return file ? cost : Cost{};
}

void keep_cost(const JobContext& context, const Cost& earlier) {
  const Cost now = context.spent();
  write_whole(cost_path(context),
              fmt::format("{} {}\n", earlier.seconds + now.seconds, earlier.cpu_seconds + now.cpu_seconds));
}

void clear_fit(const JobContext& context) {
  std::error_code none;
  fs::remove(cost_path(context), none);
  if (!context.keep_fits) fs::remove(fit_path(context.directory, context.name), none);
}

namespace {

// Whether the stored configuration is the wanted one, but for what the fit itself added.
bool same_configuration(nlohmann::json stored, nlohmann::json wanted) {
  if (wanted.value("lambda_choice", "") == "validated") stored.erase("lambda"), wanted.erase("lambda");
  for (const char* own : {"traces", "kind"}) stored.erase(own), wanted.erase(own);
  return stored == wanted;
}

void refuse_other_fit(const std::string& path, const Configuration& configuration) {
  if (!fs::exists(path)) return;
  const FitFile file = FitFile::open(path, FitFile::Mode::read);
  if (!same_configuration(file.configuration(), to_json(configuration)))
    throw InputError(fmt::format("{} was begun with other settings: choose another --out, or remove it", path));
}

// The rows that a fit is of, encoded.
struct TrainingRows {
  Encoding encoding;
  Dataset data;
  std::vector<std::string> notes;

  explicit TrainingRows(const FitTask& task) {
    const auto rows = std::span(task.training_rows);
    encoding = Encoding::learn(*task.table, task.configuration.encoding, notes, rows);
    std::vector<std::string> said;
    data = encoding.encode(*task.table, Encoding::Needs::inputs_and_target, said, rows);
  }
};

void refuse_other_data(const std::string& path, const FitTask& task) {
  const TrainingRows rows(task);
  const FitFile file = FitFile::open(path, FitFile::Mode::read);
  const Dataset& now = rows.data;
  const auto refuse = [&] {
    throw InputError(
        fmt::format("{} was begun with another table or other splits: choose another --out, or remove it", path));
  };
  if (file.encoding() != rows.encoding.to_json()) refuse();
  const Dataset stored = stored_data(file, rows.encoding);
  if (stored.x != now.x || stored.y != now.y || stored.labels != now.labels) refuse();
}

// False if stopped before the fit was made.
bool make_fit(const std::string& path, const FitTask& task, const JobContext& context) {
  auto [encoding, data, notes] = TrainingRows(task);
  TableProblem problem(task.configuration, std::move(encoding), std::move(data), std::move(notes));
  if (!problem.prepare({.threads = context.threads, .stop = context.stop})) return false;
  create(problem, path, false);
  return true;
}

// Long fits say now and then how far they are.
std::function<void(const Status&)> minute_lines(const JobContext& context) {
  auto since_last = std::make_shared<Stopwatch>();
  return [=](const Status& report) {
    if (since_last->seconds() < 60) return;
    since_last->restart();
    context.say(fmt::format("chain {}, iteration {} of {}, widths {}", report.chain + 1, report.done, report.length,
                            fmt::join(report.widths, " x ")));
  };
}

// Of all chains and both phases, and the steps of the warm start.
double gradient_count(const FitFile& file, const Configuration& c) {
  double count = 0;
  for (std::size_t chain = 0; chain < c.chains; ++chain) {
    const auto statistics = file.statistics(static_cast<int>(chain));
    if (!statistics) continue;
    if (c.method != Method::mcmc) {
      count += statistics->values.value("gradients", 0.0);
      continue;
    }
    for (const char* phase : {"warmup", "sampling"})
      count += statistics->values.value(nlohmann::json::json_pointer(fmt::format("/{}/weights/gradients", phase)), 0.0);
    count += static_cast<double>(c.chain.start.steps);
  }
  return count;
}

Row figures_of(const FittedModel& fitted, const FitTask& task, const JobContext& context) {
  std::vector<std::string> notes;
  const Dataset test =
      fitted.encoding.encode(*task.table, Encoding::Needs::inputs_and_target, notes, std::span(task.test_rows));
  const Evaluation result = evaluate(fitted, test, 0.95, context.threads);
  Row row;
  if (result.task == Task::regression) {
    const RegressionMetrics& m = result.regression;
    row = {{"n", std::to_string(m.n)}, {"rmse", cell(m.rmse)},         {"nll", cell(m.nll)},
           {"crps", cell(m.crps)},     {"coverage", cell(m.coverage)}, {"interval_width", cell(m.interval_width)}};
  } else {
    const ClassificationMetrics& m = result.classification;
    row = {{"n", std::to_string(m.n)},
           {"accuracy", cell(m.accuracy)},
           {"nll", cell(m.nll)},
           {"ece", cell(m.ece)},
           {"brier", cell(m.brier)}};
  }
  std::vector<double> widths(fitted.model.architecture.caps.size());
  double noise = 0, lambda = 0, draws = 0;
  for (const auto& chain : fitted.draws)
    for (const State& state : chain) {
      for (std::size_t l = 0; l < widths.size(); ++l) widths[l] += static_cast<double>(state.gates.active[l].size());
      noise += std::sqrt(state.noise_variance) * fitted.encoding.target_sd();
      lambda += state.lambda;
      draws += 1;
    }
  // Logistic regression has no layer, and its cells stay empty.
  for (std::size_t l = 0; l < 2; ++l)
    row[fmt::format("width{}", l + 1)] = l < widths.size() ? cell(widths[l] / draws) : "";
  if (result.task == Task::regression) row["noise_sd"] = cell(noise / draws);
  if (fitted.model.masks) row["lambda_mean"] = cell(lambda / draws);
  return row;
}

std::optional<JobResult> run_fit_job(const FitTask& task, const JobContext& context) {
  const std::string path = fit_path(context.directory, context.name);
  const bool fresh = !fs::exists(path);
  const Cost earlier = fresh ? Cost{} : earlier_cost(context);
  if (!fresh)
    refuse_other_data(path, task);
  else if (!make_fit(path, task, context))
    return {};
  FitFile file = FitFile::open(path, FitFile::Mode::append);
  const Configuration c = configuration_from_json(file.configuration());
  const TableProblem problem = TableProblem::open(file);
  if (!run(file, problem, {.threads = context.threads, .report = minute_lines(context), .stop = context.stop})) {
    keep_cost(context, earlier);
    return {};
  }
  const FittedModel fitted = FittedModel::read(file);
  JobResult result{figures_of(fitted, task, context), earlier};
  result.figures["gradients"] = cell(gradient_count(file, c));
  if (task.more_figures) result.figures.merge(task.more_figures(fitted));
  if (task.then) task.then(fitted, context);
  return result;
}

}  // namespace

const std::vector<std::string> kRegressionFigures{"n",        "rmse",           "nll",      "crps",
                                                  "coverage", "interval_width", "width1",   "width2",
                                                  "noise_sd", "lambda_mean",    "gradients"};
const std::vector<std::string> kClassificationFigures{"n",      "accuracy", "nll",         "ece",      "brier",
                                                      "width1", "width2",   "lambda_mean", "gradients"};

FitTask split_task(const DataSet& set, std::size_t split, Configuration configuration, const StudyOptions& options) {
  configuration.data = fmt::format("uci/{0}/{0}.csv, split {1} of {2}", set.name, split, options.splits_file);
  configuration.encoding.target = set.target;
  configuration.encoding.task = set.task;
  configuration.seed = options.seed + split - 1;
  return {configuration,
          set.table,
          set.checksum,
          {{"table", set.checksum}, {"splits", options.splits_file}},
          set.training_rows(split - 1),
          set.test_rows[split - 1]};
}

Job fit_job(std::vector<std::string> key, FitTask task) {
  task.configuration.check();
  Job job;
  job.seed = task.configuration.seed;
  job.settings = {{"configuration", to_json(task.configuration)},
                  {"table", task.checksum},
                  {"test_rows", task.test_rows},
                  {"level", 0.95}};
  job.common = {{"configuration", job.settings.at("configuration")}, {"source", task.source}};
  for (const char* own : {"seed", "data"}) job.common["configuration"].erase(own);
  const std::string name = fmt::format("{}", fmt::join(key, "-"));
  job.check = [c = task.configuration, name](const std::string& directory) {
    refuse_other_fit(fit_path(directory, name), c);
  };
  job.clear = clear_fit;
  job.key = std::move(key);
  job.run = [task = std::move(task)](const JobContext& context) { return run_fit_job(task, context); };
  return job;
}

}  // namespace mbnn::studies
