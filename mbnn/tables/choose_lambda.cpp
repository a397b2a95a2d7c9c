#include "mbnn/tables/choose_lambda.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mbnn/core/error.h"
#include "mbnn/tables/evaluation.h"
#include "mbnn/tables/table_problem.h"
#include "mbnn/tables/training_rows.h"

namespace mbnn {

double best_lambda(std::span<const LambdaScore> scores) {
  const LambdaScore* best = nullptr;
  for (const LambdaScore& score : scores)
    if (std::isfinite(score.nll) && (!best || score.nll < best->nll)) best = &score;
  if (!best) throw SamplerError("lambda cannot be chosen: no value gave a finite score on the validation rows");
  return best->lambda;
}

std::vector<LambdaScore> score_lambdas(const Configuration& configuration, const Encoding& encoding,
                                       const Dataset& data, const LambdaSearch& search) {
  std::vector<std::size_t> order(data.rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Rng rng(configuration.seed, 1u << 20);  // a stream that no chain uses
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
  const auto share = static_cast<std::size_t>(search.held_out * static_cast<double>(data.rows));
  const std::size_t held = std::clamp<std::size_t>(share, 1, 5000);
  const Dataset validation = subset(data, std::span(order).first(held));
  Configuration c = configuration;
  c.chains = search.chains;
  c.chain.warmup = std::max<std::int64_t>(1, c.chain.warmup / 2);
  c.chain.draws = std::max<std::int64_t>(1, c.chain.draws / 2);
  c.lambda_choice = LambdaChoice::fixed;
  const Dataset training = subset(data, std::span(order).subspan(held));
  std::vector<LambdaScore> scores;
  for (double lambda : search.values) {
    c.lambda = lambda;
    TableProblem problem(c, encoding, training);
    problem.count_rows_as(data.rows);
    DrawLists draws;
    if (!run_in_memory(problem, {.threads = search.threads, .stop = search.stop}, draws)) break;
    const Evaluation result = evaluate(fitted_model(problem, std::move(draws)), validation, 0.95, search.threads);
    scores.push_back({lambda, result.task == Task::regression ? result.regression.nll : result.classification.nll});
    if (search.report) search.report(scores.back());
  }
  return scores;
}

}  // namespace mbnn
