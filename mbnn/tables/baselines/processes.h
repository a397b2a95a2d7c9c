// The baselines of tables as a run sees them: NS-VI, whose epochs end in draws, and logistic regression, whose one step
// ends in its mode.
#pragma once

#include <stop_token>

#include "mbnn/judge/report.h"
#include "mbnn/run/process.h"
#include "mbnn/tables/baselines/ns_vi.h"
#include "mbnn/tables/chain.h"

namespace mbnn {

// What they refer to must outlive them; the data hold all rows as one batch.
class VariationalProcess : public Process {
 public:
  VariationalProcess(const Configuration& configuration, const Model& model, const TrainingData& data,
                     std::size_t index, double error_unit);

  void start() override {}
  void advance() override;
  std::int64_t done() const override { return run_.epoch() + drawn_; }
  std::optional<Draw> draw() override;
  Status status() const override;
  nlohmann::json statistics() const override;
  std::vector<std::byte> checkpoint() const override { return run_.checkpoint(); }
  void restore(std::int64_t done, std::span<const std::byte> checkpoint) override;

 private:
  const Configuration& configuration_;
  const Model& model_;
  const TrainingData& data_;
  double error_unit_;
  VariationalRun run_;
  std::int64_t drawn_ = 0;
  double seconds_ = 0;  // in this run
};

class LogisticProcess : public Process {
 public:
  LogisticProcess(const Configuration& configuration, const Model& model, const TrainingData& data,
                  std::stop_token stop);

  void start() override {}
  void advance() override;
  std::int64_t done() const override { return done_; }
  std::optional<Draw> draw() override;
  Status status() const override;
  nlohmann::json statistics() const override { return statistics_; }
  std::vector<std::byte> checkpoint() const override { return {}; }
  void restore(std::int64_t, std::span<const std::byte>) override {}

 private:
  const Configuration& configuration_;
  const Model& model_;
  const TrainingData& data_;
  std::stop_token stop_;
  std::int64_t done_ = 0;
  State state_;
  nlohmann::json statistics_;
};

// The names of the numbers stored with their draws.
std::vector<std::string> baseline_trace_names(const Model& model);

// Findings, from the diagnosis' statistics, and a line of figures for each run.
void judge_variational(const Configuration& configuration, Diagnosis& diagnosis);
void judge_logistic(Diagnosis& diagnosis);

}  // namespace mbnn
