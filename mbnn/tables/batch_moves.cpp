#include "mbnn/tables/batch_moves.h"

#include <cmath>

#include "mbnn/core/error.h"
#include "mbnn/sample/langevin.h"
#include "mbnn/tables/scalar_moves.h"

namespace mbnn {

namespace {

constexpr std::int64_t kMostUndone = 20;
constexpr int kFirstGradients = 50;

}  // namespace

BatchMoves::BatchMoves(const Model& model, const TrainingData& data, const ChainOptions& options)
    : model_(&model), data_(&data), options_(&options), density_(model), batches_(data.rows, options.batch) {
  metric_.reset(model.architecture.inputs, model.architecture.caps.size() + 1);
}

void BatchMoves::bind_next_batch(const State& state, Rng& rng) {
  const Batch& batch = batches_.draw(rng);
  bound_rows_ = batch.rows();
  density_.bind(batch, state, batches_.scale());
}

// Without an acceptance test nothing else would protect the first steps from masses that are far off. (The gradient on
// all rows is near 0 after the warm start and would say nothing.)
void BatchMoves::start(const State& state, Rng& rng) {
  const Shape shape = state.shape(*model_);
  gradient_.resize(state.weights.size());
  for (int i = 0; i < kFirstGradients; ++i) {
    bind_next_batch(state, rng);
    density_.gradient(state.weights, gradient_);
    metric_.learn(shape, gradient_, state.noise_variance);
  }
}

double BatchMoves::step_size(std::int64_t iteration) const {
  return options_->schedule.at(static_cast<double>(iteration) / static_cast<double>(options_->iterations()));
}

// Whether the last evaluation says that the dynamics left all bounds, which can take a few steps only. Errors of ten
// times the target's size, or of a thousand nats a row, are no part of any posterior that was being sampled.
bool BatchMoves::exploded() const {
  const double mean = density_.statistic() / static_cast<double>(bound_rows_);
  if (!std::isfinite(mean)) return true;
  if (!model_->likelihood.has_noise()) return mean < -1000;
  return mean > 100 * data_->target_square;
}

std::optional<double> BatchMoves::move(Iteration now) {
  density_.reset_counts();
  if (good_.weights.empty()) good_ = now.state;
  const GroupMetric metric_before = metric_;
  const double step = step_size(now.number) * std::pow(0.5, static_cast<double>(undone_));
  const std::optional<double> statistic = run(now, step);
  now.counts.gradients += static_cast<std::int64_t>(density_.gradient_evaluations());
  if (!statistic) {
    undo(now, metric_before);
    return {};
  }
  undone_ = 0;
  draw_noise(*model_, *statistic, static_cast<double>(data_->rows.rows), now.state, now.rng);
  good_ = now.state;
  return statistic;
}

// The iteration's steps. Returns the errors of its mini-batches, which stand for those of all rows; nothing if the
// weights left all bounds.
std::optional<double> BatchMoves::run(Iteration& now, double step) {
  State& state = now.state;
  const Shape shape = state.shape(*model_);
  const bool momentum = options_->sampler == Sampler::sghmc;
  const double temperature = options_->temperature;
  const LangevinStep move = momentum ? LangevinStep::sghmc_of_length(step, temperature, options_->friction)
                                     : LangevinStep::sgld_of_length(step, temperature);
  metric_.inverse_mass(shape, state.noise_variance, inverse_mass_);
  gradient_.resize(state.weights.size());
  if (momentum) {
    if (velocity_.size() != state.weights.size()) {
      velocity_.resize(state.weights.size());
      draw_velocity(velocity_, temperature, options_->friction, now.rng);
    }
    start_velocity(move, inverse_mass_, velocity_);
  }
  double statistic = 0, seen = 0;
  for (std::size_t b = 0; b < options_->batches; ++b) {
    bind_next_batch(state, now.rng);
    density_.gradient(state.weights, gradient_);
    move_weights(move, gradient_, inverse_mass_, state.weights, velocity_, now.rng);
    if (exploded()) return {};
    statistic += density_.statistic();
    seen += static_cast<double>(bound_rows_);
    if (now.warming_up) metric_.learn(shape, gradient_, state.noise_variance);
  }
  bind_next_batch(state, now.rng);  // the state that is left behind, too
  density_.log_density(state.weights);
  if (exploded()) return {};
  if (momentum) rest_velocity(move, inverse_mass_, velocity_);
  return statistic * static_cast<double>(data_->rows.rows) / seen;
}

void BatchMoves::undo(Iteration& now, GroupMetric metric) {
  ++now.counts.divergences;
  if (++undone_ > kMostUndone)
    throw SamplerError(
        fmt::format("the weights of a chain grew without bound again and again, up to iteration {}, with ever shorter "
                    "steps: fit again with a smaller step-length than {:g}, or with sampler hmc",
                    now.number + 1, options_->schedule.initial));
  now.state = good_;
  metric_ = std::move(metric);
  velocity_.clear();
}

Carried BatchMoves::carried() const {
  Carried carried;
  carried.step_size = DualAveraging(options_->initial_step, options_->target_accept).numbers();  // of no use here
  carried.metric_groups = metric_.groups();
  carried.metric_count = metric_.count();
  carried.velocity = velocity_;
  carried.undone = undone_;
  carried.good = good_;
  return carried;
}

void BatchMoves::take_up(Carried carried) {
  metric_.restore(std::move(carried.metric_groups), carried.metric_count);
  velocity_ = std::move(carried.velocity);
  undone_ = carried.undone;
  good_ = std::move(carried.good);
}

}  // namespace mbnn
