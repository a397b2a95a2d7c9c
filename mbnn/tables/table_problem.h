// A table as a problem: its rows, encoded, and how a network or a baseline is to be fitted to them.
#pragma once

#include "mbnn/run/problem.h"
#include "mbnn/tables/chain.h"
#include "mbnn/tables/configuration.h"
#include "mbnn/tables/fitted_model.h"

namespace mbnn {

class TableProblem : public Problem {
 public:
  // Throws InputError for a configuration that these rows, or any, have no use for.
  TableProblem(Configuration configuration, Encoding encoding, Dataset data, std::vector<std::string> notes = {});
  // Reads the table that the configuration names. What was said about its columns goes to `notes`, also if the table
  // is refused: they often hold the reason.
  static TableProblem read(Configuration configuration, std::vector<std::string>& notes);
  static TableProblem read(Configuration configuration);
  // The same of a table in memory, such as a TableBuilder makes.
  static TableProblem of_table(Configuration configuration, Table table, std::vector<std::string>& notes);
  static TableProblem open(const FitFile& file);

  // For fits to a part of the rows: the width prior, and the rule for sizes, are those of so many.
  void count_rows_as(std::size_t rows);

  std::string kind() const override { return "table"; }
  nlohmann::json configuration() const override { return to_json(configuration_); }
  nlohmann::json encoding() const override { return encoding_.to_json(); }
  std::vector<std::string> notes() const override { return notes_; }
  void store(FitFile& file) const override;
  std::vector<std::string> traces() const override;

  std::size_t chains() const override { return configuration_.chains; }
  std::int64_t length() const override { return configuration_.iterations(); }
  std::int64_t draws() const override { return configuration_.chain.draws; }
  std::string step_name() const override;
  void add_draws(std::int64_t further) override;
  Rhythm rhythm() const override;
  bool prepare(const RunOptions& options) override;  // chooses λ if that is to be done
  std::unique_ptr<Process> process(std::size_t chain, const Resources& resources) const override;

  Evidence evidence(const FitFile& file) const override;
  void judge(const FitFile& file, Diagnosis& diagnosis) const override;
  Description describe(const FitFile& file) const override;

  const Configuration& options() const { return configuration_; }
  const Encoding& columns() const { return encoding_; }
  const Model& model() const { return model_; }
  const Dataset& rows() const { return data_.rows; }

 private:
  Configuration configuration_;
  Encoding encoding_;
  std::vector<std::string> notes_;
  Model model_;
  TrainingData data_;
};

// The fit that the draws of a run in memory make.
FittedModel fitted_model(const TableProblem& problem, DrawLists draws);

// Refuses a first network that no memory holds: it would be found out only after an old fit was replaced.
void refuse_huge_start(const Configuration& configuration, const Model& model);

}  // namespace mbnn
