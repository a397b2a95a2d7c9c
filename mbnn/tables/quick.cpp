#include "mbnn/tables/quick.h"

#include <algorithm>
#include <thread>

#include "mbnn/tables/choose_lambda.h"

namespace mbnn {

FittedModel fit_table(const std::string& table_path, const std::string& fit_path, Configuration configuration) {
  configuration.data = table_path;
  configuration.check();
  Table table = read_table(table_path, configuration.table);
  std::vector<std::string> notes = table.notes;
  const Encoding encoding = Encoding::learn(table, configuration.encoding, notes);
  std::vector<std::string> said;  // learn() has said it all
  Dataset data = encoding.encode(std::move(table), Encoding::Needs::inputs_and_target, said);
  const std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
  if (configuration.lambda_choice == LambdaChoice::validated) {
    LambdaSearch search;
    search.threads = threads;
    configuration.lambda = best_lambda(score_lambdas(configuration, encoding, data, search));
  }
  FitFile file = create_fit(fit_path, configuration, encoding, data, notes, false);
  run_fit(file, TrainingData::make(std::move(data), configuration.chain), {threads, {}, {}});
  return FittedModel::read(file);
}

Dataset read_rows(const std::string& table_path, const FittedModel& fitted) {
  std::vector<std::string> notes;
  return fitted.encoding.encode(read_table(table_path, fitted.table_options()), Encoding::Needs::inputs, notes);
}

}  // namespace mbnn
