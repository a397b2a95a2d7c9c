#include <mbnn/mbnn.h>

#include <cstdio>

int main() {
  mbnn::Configuration configuration;
  configuration.data = "train.csv";
  configuration.encoding.target = "y";
  auto problem = mbnn::TableProblem::read(configuration);
  const auto file = mbnn::fit(problem, "y.mbnn", {.overwrite = true});

  const auto fitted = mbnn::FittedModel::read(file);
  const mbnn::Dataset rows = mbnn::read_rows("new.csv", fitted);
  mbnn::Predictive(fitted).for_each_row(rows, 2, [](const mbnn::RowPrediction& row) {
    std::printf("%8.3f, with 95%% probability in [%.3f, %.3f]\n", mbnn::mixture_mean(row.means, row.sds, row.weights),
                mbnn::mixture_quantile(0.025, row.means, row.sds, row.weights),
                mbnn::mixture_quantile(0.975, row.means, row.sds, row.weights));
  });
}
