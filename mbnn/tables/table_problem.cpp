#include "mbnn/tables/table_problem.h"

#include <algorithm>
#include <cmath>

#include "mbnn/core/error.h"
#include "mbnn/store/content.h"
#include "mbnn/tables/baselines/processes.h"
#include "mbnn/tables/chain_process.h"
#include "mbnn/tables/choose_lambda.h"
#include "mbnn/tables/training_rows.h"

namespace mbnn {

namespace {

// Baselines see all rows at once when they are scored.
TrainingData training_data(Dataset rows, const Configuration& c) {
  TrainingData data = TrainingData::make(std::move(rows), c.chain);
  if (!data.all && c.method != Method::mcmc) data.all = Batch::all(data.rows);
  return data;
}

void note_truncation(const Configuration& c, const Encoding& encoding, const Dataset& data,
                     std::vector<std::string>& notes) {
  if (!c.truncation || encoding.task() != Task::regression) return;
  double largest = 0;
  for (float y : data.y) largest = std::max(largest, std::abs(encoding.target_mean() + encoding.target_sd() * y));
  if (*c.truncation < largest)
    notes.push_back(
        fmt::format("truncate {:g}: predictions stay below the largest target, {:g}", *c.truncation, largest));
}

}  // namespace

void refuse_huge_start(const Configuration& c, const Model& model) {
  constexpr double most = 5e8;
  const bool narrow = c.method == Method::mcmc && model.masks;
  double weights = 0, below = static_cast<double>(model.architecture.inputs);
  for (std::size_t cap : model.architecture.caps) {
    const auto width = static_cast<double>(narrow ? std::min(cap, std::ranges::max(c.chain.start.widths)) : cap);
    weights += (below + 1) * width;
    below = width;
  }
  if (weights > most)
    throw OptionError(
        narrow ? "start-width" : "hidden",
        fmt::format(": the first network has {:.2g} weights, where at most {:.2g} can be: choose less", weights, most));
}

TableProblem::TableProblem(Configuration configuration, Encoding encoding, Dataset data, std::vector<std::string> notes)
    : configuration_(std::move(configuration)), encoding_(std::move(encoding)), notes_(std::move(notes)) {
  configuration_.check();
  if (configuration_.method == Method::logistic && encoding_.task() == Task::regression)
    throw OptionError("method",
                      " = logistic: the target is a number; logistic regression needs classes (task classification "
                      "takes the numbers as labels)");
  model_ = make_model(configuration_, encoding_, data.rows);
  refuse_huge_start(configuration_, model_);
  data_ = training_data(std::move(data), configuration_);
}

TableProblem TableProblem::read(Configuration c, std::vector<std::string>& notes) {
  c.check();
  Table table = read_table(c.data, c.table);
  return of_table(std::move(c), std::move(table), notes);
}

TableProblem TableProblem::of_table(Configuration c, Table table, std::vector<std::string>& notes) {
  c.check();
  notes = table.notes;
  Encoding encoding = Encoding::learn(table, c.encoding, notes);
  std::vector<std::string> said;  // again, what learn() has said already
  Dataset data = encoding.encode(std::move(table), Encoding::Needs::inputs_and_target, said);
  note_truncation(c, encoding, data, notes);
  return TableProblem(std::move(c), std::move(encoding), std::move(data), notes);
}

TableProblem TableProblem::read(Configuration configuration) {
  std::vector<std::string> notes;
  return read(std::move(configuration), notes);
}

TableProblem TableProblem::open(const FitFile& file) {
  return read_content(file.path(), [&] {
    Encoding encoding = Encoding::from_json(file.encoding());
    Dataset rows = stored_data(file, encoding);
    return TableProblem(configuration_from_json(file.configuration()), std::move(encoding), std::move(rows),
                        file.notes());
  });
}

void TableProblem::count_rows_as(std::size_t rows) { model_ = make_model(configuration_, encoding_, rows); }

void TableProblem::store(FitFile& file) const { store_data(file, data_.rows); }

std::vector<std::string> TableProblem::traces() const {
  return configuration_.method == Method::mcmc ? chain_trace_names(model_) : baseline_trace_names(model_);
}

std::string TableProblem::step_name() const {
  return configuration_.method == Method::ns_vi ? "epochs and draws" : "iterations";
}

void TableProblem::add_draws(std::int64_t further) {
  if (configuration_.method == Method::logistic)
    throw InputError("a logistic regression has one draw, the mode, and no further ones");
  configuration_.chain.draws += further;
  configuration_.check();
}

// A variational checkpoint is three times the size of the network's parameters.
Rhythm TableProblem::rhythm() const {
  return {.checkpoint_seconds = configuration_.method == Method::ns_vi ? 5.0 : 0.0};
}

bool TableProblem::prepare(const RunOptions& options) {
  if (configuration_.lambda_choice != LambdaChoice::validated) return true;
  LambdaSearch search;
  search.threads = options.threads;
  search.stop = options.stop;
  if (options.say) {
    options.say(fmt::format("choosing lambda on {:.0f}% of the rows", 100 * search.held_out));
    search.report = [&](const LambdaScore& s) {
      options.say(fmt::format("  lambda {:<6} validation nll {:.4f}", s.lambda, s.nll));
    };
  }
  const auto scores = score_lambdas(configuration_, encoding_, data_.rows, search);
  if (scores.size() < search.values.size()) return false;
  configuration_.lambda = best_lambda(scores);
  model_ = make_model(configuration_, encoding_, data_.rows.rows);
  if (options.say) options.say(fmt::format("lambda {} chosen", configuration_.lambda));
  return true;
}

std::unique_ptr<Process> TableProblem::process(std::size_t chain, const Resources& resources) const {
  const double unit = encoding_.task() == Task::regression ? encoding_.target_sd() : 1;
  switch (configuration_.method) {
    case Method::ns_vi:
      return std::make_unique<VariationalProcess>(configuration_, model_, data_, chain, unit);
    case Method::logistic:
      return std::make_unique<LogisticProcess>(configuration_, model_, data_, resources.stop);
    default: {
      const ChainSetting setting{&model_, &configuration_.chain, configuration_.seed, unit};
      if (configuration_.chain.rungs > 1)
        return std::make_unique<LadderProcess>(setting, data_, chain, resources.threads);
      return std::make_unique<ChainProcess>(setting, data_, chain);
    }
  }
}

FittedModel fitted_model(const TableProblem& problem, DrawLists draws) {
  FittedModel fitted;
  fitted.configuration = problem.options();
  fitted.encoding = problem.columns();
  fitted.model = problem.model();
  fitted.take(std::move(draws));
  return fitted;
}

}  // namespace mbnn
