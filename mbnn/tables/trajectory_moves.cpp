#include "mbnn/tables/trajectory_moves.h"

#include "mbnn/tables/scalar_moves.h"

namespace mbnn {

TrajectoryMoves::TrajectoryMoves(const Model& model, const TrainingData& data, const ChainOptions& options)
    : model_(&model),
      data_(&data),
      options_(&options),
      step_size_(options.initial_step, options.target_accept),
      density_(model) {
  metric_.reset(model.architecture.inputs, model.architecture.caps.size() + 1);
}

double TrajectoryMoves::step_size(std::int64_t iteration) const {
  return iteration < options_->warmup ? step_size_.step_size() : step_size_.averaged_step_size();
}

std::optional<double> TrajectoryMoves::move(Iteration now) {
  State& state = now.state;
  const Shape shape = state.shape(*model_);
  density_.reset_counts();
  density_.bind(*data_->all, state);
  metric_.inverse_mass(shape, state.noise_variance, inverse_mass_);
  // The jitter keeps a trajectory from closing on itself.
  const double step = step_size(now.number) * (0.8 + 0.4 * now.rng.uniform());
  const bool hmc = options_->sampler == Sampler::hmc;
  const TrajectoryInfo info =
      hmc ? hmc_.step(density_, state.weights, inverse_mass_, step, options_->leapfrog_steps, now.rng)
          : nuts_.step(density_, state.weights, inverse_mass_, step, options_->max_depth, now.rng);
  ++now.counts.trajectories;
  now.counts.accept_sum += info.accept_probability;
  now.counts.divergences += info.diverged;
  if (now.warming_up) {
    step_size_.update(info.accept_probability);
    if (info.accepted) metric_.learn(shape, hmc ? hmc_.last_gradient() : nuts_.last_gradient(), state.noise_variance);
  }
  density_.log_density(state.weights);
  draw_noise(*model_, density_.statistic(), static_cast<double>(data_->rows.rows), state, now.rng);
  now.counts.gradients += static_cast<std::int64_t>(density_.gradient_evaluations());
  return density_.statistic();
}

Carried TrajectoryMoves::carried() const {
  Carried carried;
  carried.step_size = step_size_.numbers();
  carried.metric_groups = metric_.groups();
  carried.metric_count = metric_.count();
  return carried;
}

void TrajectoryMoves::take_up(Carried carried) {
  step_size_.restore(carried.step_size);
  metric_.restore(std::move(carried.metric_groups), carried.metric_count);
}

}  // namespace mbnn
