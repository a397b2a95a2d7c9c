#include "mbnn/tables/chain.h"

#include <algorithm>
#include <cmath>

#include "mbnn/core/checkpoint.h"
#include "mbnn/core/clock.h"
#include "mbnn/core/error.h"
#include "mbnn/sample/birth_death_moves.h"
#include "mbnn/sample/langevin.h"
#include "mbnn/sample/slice.h"
#include "mbnn/tables/state_bytes.h"
#include "mbnn/tables/warm_start.h"

namespace mbnn {

namespace {

constexpr std::uint32_t kCheckpointVersion = 2;  // to be raised whenever checkpoint() changes

}  // namespace

Chain::Chain(const Model& model, const TrainingData& data, const ChainOptions& options, std::uint64_t seed,
             std::uint64_t index)
    : model_(&model),
      data_(&data),
      options_(&options),
      rng_(seed, index),
      step_size_(options.initial_step, options.target_accept),
      density_(model),
      flips_(model),
      refits_(model),
      birth_death_(options.birth_death) {
  metric_.reset(model.architecture.inputs, model.architecture.caps.size() + 1);
  const double n = static_cast<double>(data.rows.rows), batch = static_cast<double>(options.batch);
  if (options.mask_test == MaskTest::mhbt)
    birth_death_.judge_by(Tempering{.rows = data.rows.rows, .temperature = std::max(1.0, n / batch)});
}

void Chain::start() {
  const Stopwatch watch;
  state_ = block_ ? block_->start(options_->start, rng_)
                  : warm_start(*model_, data_->rows, data_->all ? &*data_->all : nullptr, options_->start, rng_);
  const bool finite = std::isfinite(state_.noise_variance) && std::all_of(state_.weights.begin(), state_.weights.end(),
                                                                          [](float w) { return std::isfinite(w); });
  if (!finite)
    throw SamplerError(
        "the weights that a chain starts from are not finite: is --weight-prior or a number in the table extreme?");
  if (options_->stochastic()) learn_batch_metric();
  start_seconds_ = watch.seconds();
}

// Without an acceptance test nothing else would protect the first steps from masses that are far off. (The gradient on
// all rows is near 0 after the warm start and would say nothing.)
void Chain::learn_batch_metric() {
  const Shape shape = state_.shape(*model_);
  std::vector<float> gradient(state_.weights.size());
  for (int i = 0; i < 50; ++i) {
    next_batch();
    density_.bind(batch_, state_, static_cast<double>(data_->rows.rows) / static_cast<double>(batch_.rows()));
    density_.gradient(state_.weights, gradient);
    metric_.learn(shape, gradient, state_.noise_variance);
  }
}

void Chain::start_from(State state) { state_ = std::move(state); }

bool Chain::at_draw() const {
  return iteration_ > options_->warmup && (iteration_ - options_->warmup) % options_->thin == 0;
}

double Chain::step_size() const {
  if (options_->stochastic())
    return options_->schedule.at(static_cast<double>(iteration_) / static_cast<double>(options_->iterations()));
  return warming_up() ? step_size_.step_size() : step_size_.averaged_step_size();
}

void Chain::iterate() {
  PhaseStatistics& counts = phase();
  const Stopwatch weights_watch;
  density_.reset_counts();
  if (options_->stochastic())
    run_batches();
  else if (!block_ || block_->leaves_weights())
    move_weights();
  counts.gradients += static_cast<std::int64_t>(density_.gradient_evaluations());
  counts.weight_seconds += weights_watch.seconds();

  const Stopwatch masks_watch;
  const bool sweep = model_->masks && iteration_ % options_->mask_every == 0;
  const double swept = sweep ? move_masks() : 0;
  counts.mask_seconds += masks_watch.seconds();

  const Stopwatch other_watch;
  if (model_->weight_prior.learn_scale) draw_scale();
  if (model_->masks && model_->width_prior.learn_lambda) draw_lambda();
  if (block_)
    move_block();
  else if (!options_->stochastic())
    note_fit(sweep ? swept : density_.statistic());
  counts.other_seconds += other_watch.seconds();
  ++counts.iterations;
  ++iteration_;
}

void Chain::move_weights() {
  const double n = static_cast<double>(data_->rows.rows);
  const Shape shape = state_.shape(*model_);
  density_.bind(*data_->all, state_);
  metric_.inverse_mass(shape, state_.noise_variance, inverse_mass_);
  // The jitter keeps a trajectory from closing on itself.
  const double step = step_size() * (0.8 + 0.4 * rng_.uniform());
  const bool hmc = options_->sampler == Sampler::hmc;
  const TrajectoryInfo info =
      hmc ? hmc_.step(density_, state_.weights, inverse_mass_, step, options_->leapfrog_steps, rng_)
          : nuts_.step(density_, state_.weights, inverse_mass_, step, options_->max_depth, rng_);
  PhaseStatistics& counts = phase();
  ++counts.trajectories;
  counts.accept_sum += info.accept_probability;
  counts.divergences += info.diverged;
  if (warming_up()) {
    step_size_.update(info.accept_probability);
    if (info.accepted) metric_.learn(shape, hmc ? hmc_.last_gradient() : nuts_.last_gradient(), state_.noise_variance);
  }
  density_.log_density(state_.weights);
  draw_noise(density_.statistic(), n);
}

void Chain::next_batch() {
  const std::size_t n = data_->rows.rows;
  batch_rows_.resize(std::min(options_->batch, n));
  for (auto& row : batch_rows_) row = rng_.below(n);
  batch_.gather(data_->rows, batch_rows_);
}

// Without an acceptance test the dynamics can leave all bounds in a few steps. Errors of ten times the target's size,
// or of a thousand nats a row, are no part of any posterior that was being sampled.
bool Chain::exploded(double mean_statistic) const {
  if (!std::isfinite(mean_statistic)) return true;
  if (!model_->likelihood.has_noise()) return mean_statistic < -1000;
  return mean_statistic > 100 * data_->target_square;
}

void Chain::run_batches() {
  const double n = static_cast<double>(data_->rows.rows);
  const Shape shape = state_.shape(*model_);
  // After an iteration that was undone the next try takes half the step, until one succeeds.
  const double step = step_size() * std::pow(0.5, static_cast<double>(undone_));
  metric_.inverse_mass(shape, state_.noise_variance, inverse_mass_);
  gradient_.resize(state_.weights.size());
  const bool momentum = options_->sampler == Sampler::sghmc;
  const LangevinStep move = momentum ? LangevinStep::sghmc_of_length(step, options_->temperature, options_->friction)
                                     : LangevinStep::sgld_of_length(step, options_->temperature);
  if (momentum && velocity_.size() != state_.weights.size()) {
    velocity_.resize(state_.weights.size());
    draw_velocity(velocity_, options_->temperature, options_->friction, rng_);
  }
  if (momentum) start_velocity(move, inverse_mass_, velocity_);
  if (good_.weights.empty()) good_ = state_;
  const GroupMetric metric_before = metric_;
  double statistic = 0, seen = 0;
  bool bad = false;
  auto bind_next_batch = [&] {
    next_batch();
    density_.bind(batch_, state_, n / static_cast<double>(batch_.rows()));
  };
  auto check = [&] { bad = bad || exploded(density_.statistic() / static_cast<double>(batch_.rows())); };
  for (std::size_t b = 0; b < options_->batches && !bad; ++b) {
    bind_next_batch();
    density_.gradient(state_.weights, gradient_);
    mbnn::move_weights(move, gradient_, inverse_mass_, state_.weights, velocity_, rng_);
    statistic += density_.statistic();
    seen += static_cast<double>(batch_.rows());
    check();
    if (warming_up() && !bad) metric_.learn(shape, gradient_, state_.noise_variance);
  }
  if (!bad) {  // the state that is left behind, too
    bind_next_batch();
    density_.log_density(state_.weights);
    check();
  }
  if (bad) {
    ++phase().divergences;
    if (++undone_ > 20)
      throw SamplerError(fmt::format(
          "the weights of a chain grew without bound again and again, up to iteration {}, with ever shorter "
          "steps: fit again with a smaller --step-size than {:g}, or with --sampler hmc",
          iteration_ + 1, options_->schedule.initial));
    state_ = good_;
    metric_ = metric_before;
    velocity_.clear();
    return;
  }
  undone_ = 0;
  if (momentum) rest_velocity(move, inverse_mass_, velocity_);
  // The errors of the iteration's mini-batches stand for those of all rows.
  const double scaled = statistic * n / seen;
  draw_noise(scaled, n);
  note_fit(scaled);
  good_ = state_;
}

// Called when an iteration is over, so that what is stored with a draw belongs to it.
void Chain::note_fit(double statistic) {
  const double n = static_cast<double>(data_->rows.rows);
  const Likelihood& likelihood = model_->likelihood;
  log_posterior_ = mbnn::log_posterior(*model_, state_,
                                       likelihood.log_likelihood(statistic, data_->rows.rows, state_.noise_variance));
  training_error_ = likelihood.has_noise() ? std::sqrt(statistic / n) : -statistic / n;
}

void Chain::move_block() {
  const GibbsBlock::Fit fit = block_->move(state_, rng_);
  log_posterior_ = mbnn::log_posterior(*model_, state_, fit.log_likelihood) + fit.log_prior;
  training_error_ = fit.training_error;
}

// What each test guarantees: docs/sampling.md.
void Chain::bind_masks() {
  const std::size_t n = data_->rows.rows;
  if (!options_->stochastic()) {
    flips_.bind(*data_->all, state_);
  } else if (options_->mask_test == MaskTest::mhbt) {
    batch_rows_ = draw_batch(n, std::min(options_->batch, n), rng_);
    batch_.gather(data_->rows, batch_rows_);
    flips_.bind(batch_, state_);  // at its temperature the batch counts as it is
  } else {
    next_batch();
    flips_.bind(batch_, state_, static_cast<double>(n) / static_cast<double>(batch_.rows()));
  }
  birth_death_.forget();
}

double Chain::move_masks() {
  bind_masks();
  PhaseStatistics& counts = phase();
  bool changed = false;
  for (std::size_t move = 0; move < options_->mask_moves; ++move) {
    if (move > 0 && options_->mask_test == MaskTest::mhbt) bind_masks();
    const MoveInfo info = birth_death_.step(flips_, rng_);
    const bool birth = info.direction == Direction::birth, accepted = info.outcome == MoveInfo::Outcome::accepted;
    ++(birth ? counts.births_tried : counts.deaths_tried)[info.flips - 1];
    if (accepted) ++(birth ? counts.births_accepted : counts.deaths_accepted)[info.flips - 1];
    changed = changed || accepted;
  }
  if (changed) velocity_.clear();
  if (options_->stochastic() || options_->refit_moves == 0) return flips_.statistic();

  refits_.bind(*data_->all, state_);
  for (std::size_t move = 0; move < options_->refit_moves; ++move) {
    const MoveInfo info = refit_step(refits_, rng_);
    const std::size_t first = info.direction == Direction::birth ? 0 : 2;
    ++counts.refits[first];
    if (info.outcome == MoveInfo::Outcome::accepted) ++counts.refits[first + 1];
  }
  return refits_.statistic();
}

void Chain::draw_noise(double statistic, double rows) {
  if (model_->likelihood.has_noise()) state_.noise_variance = model_->noise_prior.draw_posterior(statistic, rows, rng_);
}

void Chain::draw_scale() {
  const auto& prior = model_->weight_prior;
  const double log_scale = slice_sample(
      std::log(state_.weight_scale), 0.2,
      [&](double x) { return prior.log_density(state_.weights, std::exp(x)) + prior.log_hyperprior(std::exp(x)); },
      rng_);
  state_.weight_scale = std::exp(log_scale);
}

void Chain::draw_lambda() {
  const auto& prior = model_->width_prior;
  const Shape shape = state_.shape(*model_);
  const double log_lambda = slice_sample(
      std::log(state_.lambda), 0.1,
      [&](double x) {
        const double lambda = std::exp(x);
        double sum = prior.log_hyperprior(lambda) + log_mask_prior(*model_, shape, lambda);
        for (std::size_t cap : model_->architecture.caps) sum -= prior.log_normaliser(cap, lambda);
        return sum;
      },
      rng_);
  state_.lambda = std::exp(log_lambda);
}

std::vector<std::byte> Chain::checkpoint() const {
  ByteWriter out;
  out.put(kCheckpointVersion);
  write_state(state_, out);
  out.put(rng_.state());
  out.put(iteration_);
  out.put(step_size_.numbers());
  out.put_all(metric_.groups());
  out.put(metric_.count());
  out.put_all(velocity_);
  out.put(undone_);
  write_state(good_, out);
  out.put(warmup_);
  out.put(sampling_);
  out.put(log_posterior_);
  out.put(training_error_);
  out.put(start_seconds_);
  if (block_) block_->save(out);
  return out.take();
}

void Chain::check_version(std::span<const std::byte> checkpoint) {
  ByteReader in(checkpoint);
  mbnn::check_version(in, kCheckpointVersion);
}

void Chain::restore(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  mbnn::check_version(in, kCheckpointVersion);
  state_ = read_state(in);
  rng_ = Rng::from_state(in.get<Rng::State>());
  iteration_ = in.get<std::int64_t>();
  step_size_.restore(in.get<DualAveraging::Numbers>());
  auto groups = in.get_all<double>();
  metric_.restore(std::move(groups), in.get<double>());
  velocity_ = in.get_all<float>();
  undone_ = in.get<std::int64_t>();
  good_ = read_state(in);
  warmup_ = in.get<PhaseStatistics>();
  sampling_ = in.get<PhaseStatistics>();
  log_posterior_ = in.get<double>();
  training_error_ = in.get<double>();
  start_seconds_ = in.get<double>();
  if (block_) block_->restore(in);
  if (!in.done()) throw Error("the checkpoint has bytes that belong to nothing");
}

}  // namespace mbnn
