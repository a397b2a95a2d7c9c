// The blocks that a structural series adds to a chain: the path of states, its variances, and a linear regression.
#pragma once

#include <span>
#include <vector>

#include "mbnn/series/kalman.h"
#include "mbnn/tables/gibbs_block.h"
#include "mbnn/tables/training_data.h"

namespace mbnn {

// Training rows with an observed target, scaled, and where in time each of them stands.
struct SeriesData {
  Dataset rows;                     // y is the whole target, with trend and seasons
  std::vector<std::int64_t> times;  // ascending, from 0; a step without a row is missing
  std::int64_t steps = 0;           // of the training period: after the last time, at least
};

// `values` where there are rows, NaN elsewhere.
std::vector<double> on_time_axis(const SeriesData& data, std::span<const double> values);

// f at rows, in units of the scaled target.
std::vector<double> regression_values(const Model& model, const State& state, const Batch& batch);

// Given the variances, the last layer of f and the path are drawn as one block: the weights of that layer with the path
// integrated out, and with them the effects of events, then the path given them. So what could be in either of them, a
// level or a slow wave, costs little mixing. A linear regression is its own last layer.
class SeriesBlock : public GibbsBlock {
 public:
  SeriesBlock(const Model& model, const SeriesOptions& options, const SeriesData& data);

  // Rows whose targets are those of the chain: the series minus trend and seasons. Every move rewrites these.
  const TrainingData& training() const { return training_; }

  State start(std::size_t width, const WarmStartOptions& options, Rng& rng) override;
  // Starts from a given state, such as a draw from the prior.
  void start_from(SeriesParameters parameters, std::vector<double> path);
  bool leaves_weights() const override { return options_.network(); }
  Fit move(State& state, Rng& rng) override;
  std::vector<double> traces() const override;
  void save(ByteWriter& out) const override;
  void restore(ByteReader& in) override;

  const SeriesParameters& parameters() const { return parameters_; }
  const std::vector<double>& path() const { return path_; }

 private:
  void draw_disturbances(State& state, Rng& rng);
  std::vector<double> draw_last_weights(const Gains& gains, const std::vector<std::vector<double>>& columns,
                                        std::size_t first, State& state, Rng& rng);
  std::vector<std::vector<double>> output_columns(const State& state) const;
  void draw_regression_and_path(State& state, bool linear, Fit* fit, Rng& rng);
  double squared_errors(std::span<const double> f) const;
  std::vector<double> event_values() const { return event_effects(options_.events, parameters_.effects, times_); }
  void set_targets();

  const Model* model_;
  const SeriesOptions options_;
  std::vector<double> y_;            // by row, in double
  std::vector<std::int64_t> times_;  // by row
  std::size_t steps_;
  std::vector<std::vector<double>> columns_;        // a linear regression's inputs, on the time axis; the constant last
  std::vector<std::vector<double>> event_columns_;  // 1 where the event is
  TrainingData training_;
  SeriesParameters parameters_;
  std::vector<double> path_;  // [step * states + state]
};

// The names of SeriesBlock::traces().
std::vector<std::string> series_trace_names(const SeriesOptions& options);
// And back. `noise` is a variance.
SeriesParameters parameters_from_traces(const SeriesOptions& options, std::span<const double> traces, double noise);

}  // namespace mbnn
