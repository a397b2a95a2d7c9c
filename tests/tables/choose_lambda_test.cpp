// Lambda is scored by fits to a part of the rows, under the prior of the fit to come.
#include "mbnn/tables/choose_lambda.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mbnn/tables/evaluation.h"
#include "mbnn/tables/table_problem.h"

namespace mbnn {
namespace {

// Rows that are all alike make it the same which of them are held out. The prior of widths knows lambda and the number
// of rows by lambda log n alone, so a fit to the 20 rows that are left, by itself, scores the same if its lambda is
// larger by log 40 / log 20. Seen to fail with the prior of the rows that are left.
TEST(ScoreLambdas, PriorIsThatOfAllRows) {
  Table table;
  table.path = "made.csv";
  table.rows = 10;
  table.columns = {{"x", ColumnKind::numeric, {}, {}, {}}, {"y", ColumnKind::numeric, {}, {}, {}}};
  for (std::size_t i = 0; i < table.rows; ++i)
    for (Column& column : table.columns) column.numbers.push_back(std::sqrt(static_cast<double>(i)));
  Configuration c;
  c.encoding.target = "y";
  c.hidden = {6};
  c.outliers = false;  // their share knows the number of rows
  c.chain.warmup = 40;
  c.chain.draws = 20;
  c.chain.thin = 1;
  c.chain.leapfrog_steps = 5;
  c.chain.start = {.widths = {4}, .steps = 0};
  std::vector<std::string> notes;
  const Encoding encoding = Encoding::learn(table, c.encoding, notes);
  const auto rows_alike = [](std::size_t rows) {
    return Dataset{rows, 1, std::vector<float>(rows, 0.7f), std::vector<float>(rows, -0.4f), {}};
  };
  LambdaSearch search;
  search.values = {0.25};
  search.held_out = 0.5;
  const auto scores = score_lambdas(c, encoding, rows_alike(40), search);
  ASSERT_EQ(scores.size(), 1u);

  const auto by_itself = [&](double lambda) {
    FittedModel fitted;
    fitted.configuration = c;
    fitted.configuration.chains = 2;
    fitted.configuration.chain.warmup /= 2;
    fitted.configuration.chain.draws /= 2;
    fitted.configuration.lambda = lambda;
    fitted.encoding = encoding;
    const TableProblem problem(fitted.configuration, encoding, rows_alike(20));
    fitted.model = problem.model();
    DrawLists draws;
    run_in_memory(problem, {.threads = 1}, draws);
    fitted.take(std::move(draws));
    return evaluate(fitted, rows_alike(20), 0.95, 1).regression.nll;
  };
  EXPECT_NEAR(scores[0].nll, by_itself(0.25 * std::log(40.0) / std::log(20.0)), 1e-9);
  EXPECT_GT(std::abs(scores[0].nll - by_itself(0.25)), 1e-3);  // or a fault could not be seen
}

}  // namespace
}  // namespace mbnn
