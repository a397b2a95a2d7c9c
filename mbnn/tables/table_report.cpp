// What a fit of a table has to say for itself: evidence, findings, description.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mbnn/core/known_names.h"
#include "mbnn/core/names.h"
#include "mbnn/tables/baselines/processes.h"
#include "mbnn/tables/chain_report.h"
#include "mbnn/tables/predictive.h"
#include "mbnn/tables/table_problem.h"
#include "mbnn/tables/training_rows.h"

namespace mbnn {

// What is predicted: the function for regression, probabilities for classes. Logits would not do: whether a probability
// is 1e-9 or 1e-12 is of no interest.
Evidence TableProblem::evidence(const FitFile& file) const {
  const FittedModel fitted = FittedModel::read(file);
  Evidence evidence = chain_evidence(file, fitted);
  const Predictive predictive(fitted);
  const Dataset rows = reference_rows(data_.rows);
  const bool regression = encoding_.task() == Task::regression;
  add_predictions(fitted, regression ? predictive.function_values(rows) : predictive.probabilities(rows), evidence);
  evidence.markov = configuration_.method == Method::mcmc;
  return evidence;
}

void TableProblem::judge(const FitFile& file, Diagnosis& diagnosis) const {
  switch (configuration_.method) {
    case Method::mcmc:
      return judge_moves(FittedModel::read(file), diagnosis);
    case Method::ns_vi:
      return judge_variational(configuration_, diagnosis);
    case Method::logistic:
      return judge_logistic(diagnosis);
  }
}

Description TableProblem::describe(const FitFile& file) const {
  const FittedModel fitted = FittedModel::read(file);
  Description description;
  auto& about = description.about;
  about.push_back({"fit of", fmt::format("{} from {}", encoding_.target(), configuration_.data)});
  if (encoding_.task() == Task::classification)
    about.push_back({"classes", fmt::format("{}", fmt::join(encoding_.labels(), ", "))});
  about.push_back({"inputs", list_names(encoding_.input_names(), std::string::npos)});
  if (configuration_.method != Method::mcmc) about.push_back({"method", name_of(configuration_.method)});
  describe_network(fitted, description);
  return description;
}

}  // namespace mbnn
