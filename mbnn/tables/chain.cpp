#include "mbnn/tables/chain.h"

#include <algorithm>
#include <cmath>

#include "mbnn/core/checkpoint.h"
#include "mbnn/core/clock.h"
#include "mbnn/core/error.h"
#include "mbnn/tables/mask_moves.h"
#include "mbnn/tables/scalar_moves.h"
#include "mbnn/tables/state_bytes.h"
#include "mbnn/tables/warm_start.h"
#include "mbnn/tables/weight_moves.h"

namespace mbnn {

namespace {

constexpr std::uint32_t kCheckpointVersion = 2;  // to be raised whenever checkpoint() changes
constexpr double kAnnealed = 0.7;                // share of the warm-up after which the posterior is reached
constexpr std::uint64_t kMostChains = 1 << 20;   // of a fit, whose rungs have streams of random numbers behind these

}  // namespace

Chain::Chain(const Model& model, const TrainingData& data, const ChainOptions& options, std::uint64_t seed,
             std::uint64_t index, std::uint64_t rung)
    : model_(model),
      data_(&data),
      options_(&options),
      start_width_(options.start.width_of(index)),
      rng_(seed, index + rung * kMostChains),
      weights_(make_weight_moves(model_, data, options)),
      masks_(std::make_unique<MaskMoves>(model_, data, options)) {}

Chain::~Chain() = default;

void Chain::start() {
  const Stopwatch watch;
  state_ = block_ ? block_->start(start_width_, options_->start, rng_)
                  : warm_start(model_, data_->rows, data_->all ? &*data_->all : nullptr, start_width_, options_->start,
                               rng_);
  const bool finite = std::isfinite(state_.noise_variance) && std::all_of(state_.weights.begin(), state_.weights.end(),
                                                                          [](float w) { return std::isfinite(w); });
  if (!finite)
    throw SamplerError(
        "the weights that a chain starts from are not finite: is the weight prior or a number in the table extreme?");
  weights_->start(state_, rng_);
  start_seconds_ = watch.seconds();
}

void Chain::start_from(State state) { state_ = std::move(state); }

bool Chain::at_draw() const {
  return iteration_ > options_->warmup && (iteration_ - options_->warmup) % options_->thin == 0;
}

double Chain::step_size() const { return weights_->step_size(iteration_); }

// Geometrically from options.anneal_from to 1, and on a hot rung no further than its own power.
void Chain::anneal() {
  double power = power_;
  const double length = kAnnealed * static_cast<double>(options_->warmup);
  if (!options_->stochastic() && static_cast<double>(iteration_) < length)
    power = std::min(power, std::pow(options_->anneal_from, 1 - static_cast<double>(iteration_) / length));
  model_.likelihood.power = model_.width_prior.power = power;
}

void Chain::iterate() {
  anneal();
  PhaseStatistics& counts = phase();
  const Stopwatch weights_watch;
  std::optional<double> statistic;
  if (!block_ || block_->leaves_weights()) statistic = weights_->move({iteration_, warming_up(), state_, counts, rng_});
  // What comes next sees one mini-batch and cannot say more of the fit than all of them did.
  const bool estimated = !weights_->on_all_rows();
  if (estimated && statistic) note_fit(*statistic);
  counts.weight_seconds += weights_watch.seconds();

  const Stopwatch masks_watch;
  if (model_.masks && iteration_ % options_->mask_every == 0) {
    const MaskMoves::Sweep sweep = masks_->sweep(state_, counts, rng_);
    statistic = sweep.statistic;
    if (sweep.changed) weights_->nodes_changed();
  }
  counts.mask_seconds += masks_watch.seconds();

  const Stopwatch other_watch;
  if (model_.weight_prior.learn_scale) draw_weight_scale(model_, state_, rng_);
  if (model_.masks && model_.width_prior.learn_lambda) draw_lambda(model_, state_, rng_);
  if (block_)
    move_block();
  else if (!estimated)
    note_fit(*statistic);
  counts.other_seconds += other_watch.seconds();
  ++counts.iterations;
  ++iteration_;
}

// Called when the state is the one that is stored with a draw, or nearest to it.
void Chain::note_fit(double statistic) {
  statistic_ = statistic;
  const double n = static_cast<double>(data_->rows.rows);
  const Likelihood& likelihood = model_.likelihood;
  log_posterior_ = mbnn::log_posterior(model_, state_,
                                       likelihood.log_likelihood(statistic, data_->rows.rows, state_.noise_variance));
  training_error_ = likelihood.has_noise() ? std::sqrt(statistic / n) : -statistic / n;
}

void Chain::exchange(Chain& other) {
  std::swap(state_, other.state_);
  std::swap(statistic_, other.statistic_);
}

void Chain::settle() {
  draw_noise(model_, statistic_, static_cast<double>(data_->rows.rows), state_, rng_);
  note_fit(statistic_);
}

void Chain::move_block() {
  const GibbsBlock::Fit fit = block_->move(state_, rng_);
  log_posterior_ = mbnn::log_posterior(model_, state_, fit.log_likelihood) + fit.log_prior;
  training_error_ = fit.training_error;
}

std::vector<std::byte> Chain::checkpoint() const {
  ByteWriter out;
  out.put(kCheckpointVersion);
  write_state(state_, out);
  out.put(rng_.state());
  out.put(iteration_);
  weights_->carried().write(out);
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
  weights_->take_up(Carried::read(in));
  warmup_ = in.get<PhaseStatistics>();
  sampling_ = in.get<PhaseStatistics>();
  log_posterior_ = in.get<double>();
  training_error_ = in.get<double>();
  start_seconds_ = in.get<double>();
  if (block_) block_->restore(in);
  if (!in.done()) throw Error("the checkpoint has bytes that belong to nothing");
}

}  // namespace mbnn
