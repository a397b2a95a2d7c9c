// A series as a problem: its steps, the structure that is fitted to them, and the regression inside.
#pragma once

#include "mbnn/run/problem.h"
#include "mbnn/series/fitted_series.h"

namespace mbnn {

class SeriesProblem : public Problem {
 public:
  // The configuration is one that was settled.
  SeriesProblem(SeriesConfiguration configuration, PreparedSeries prepared, std::vector<std::string> notes = {});
  // Settles the configuration and reads the table that it names. What was said about its columns goes to `notes`, also
  // if the table is refused.
  static SeriesProblem read(SeriesConfiguration configuration, std::vector<std::string>& notes);
  static SeriesProblem read(SeriesConfiguration configuration);
  static SeriesProblem open(const FitFile& file);

  std::string kind() const override { return "series"; }
  nlohmann::json configuration() const override;
  nlohmann::json encoding() const override { return series_.encoding.to_json(); }
  std::vector<std::string> notes() const override { return notes_; }
  void store(FitFile& file) const override;
  std::vector<std::string> traces() const override;

  std::size_t chains() const override { return configuration_.base.chains; }
  std::int64_t length() const override { return configuration_.base.iterations(); }
  std::int64_t draws() const override { return configuration_.base.chain.draws; }
  std::string step_name() const override { return "iterations"; }
  void add_draws(std::int64_t further) override;
  std::unique_ptr<Process> process(std::size_t chain, const Resources& resources) const override;

  Evidence evidence(const FitFile& file) const override;
  void judge(const FitFile& file, Diagnosis& diagnosis) const override;
  Description describe(const FitFile& file) const override;

  const SeriesConfiguration& options() const { return configuration_; }
  const PreparedSeries& series() const { return series_; }
  const Model& model() const { return model_; }
  FittedSeries without_draws() const;

 private:
  SeriesConfiguration configuration_;
  PreparedSeries series_;
  std::vector<std::string> notes_;
  Model model_;
};

// A fit without a file, ready to forecast with; with the draws so far if it was stopped.
FittedSeries sample_series(const SeriesConfiguration& configuration, const PreparedSeries& prepared,
                           const RunOptions& options);

}  // namespace mbnn
