#include "mbnn/images/channel_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "mbnn/core/bytes.h"
#include "mbnn/core/error.h"
#include "mbnn/core/finite.h"
#include "mbnn/images/checkpoint_bytes.h"
#include "mbnn/sample/birth_death_moves.h"

namespace mbnn {

ImageChain::ImageChain(const ImageModel& model, const ImageChainOptions& options, std::size_t batches_per_epoch,
                       std::size_t threads)
    : model_(&model),
      options_(&options),
      per_epoch_(static_cast<std::int64_t>(batches_per_epoch)),
      images_(static_cast<double>(model.width_prior.rows)),
      temperature_(options.temperature > 0 ? options.temperature : 1 / std::sqrt(images_)),
      rng_(options.loader.seed, 1),
      engine_(threads),
      density_(model, engine_),
      flips_(model, engine_, &density_.network()),
      birth_death_(options.birth_death) {
  options.check(model.width_prior.rows);
  if (options.mask_test == MaskTest::mhbt)
    birth_death_.judge_by(Tempering{model.width_prior.rows, images_ / static_cast<double>(options.loader.batch)});
  if (options.mask_test == MaskTest::sequential) birth_death_.judge_by(SequentialTest{model.width_prior.rows});
}

void ImageChain::start() { state_ = initial_state(*model_, rng_); }

double ImageChain::step_size() const {
  using Steps = ImageChainOptions::Steps;
  constexpr double lowest = 0.01, restart = 0.5;
  const double first = options_->step_size > 0 ? options_->step_size : options_->default_step_size();
  if (options_->steps == Steps::constant) return first;
  const auto falling = [](double from, double progress) {
    return lowest + (from - lowest) * (1 + std::cos(std::numbers::pi * progress)) / 2;
  };
  const std::int64_t cycle = options_->batches_between_draws(per_epoch_), burn_in = burn_in_batches();
  if (done_ < burn_in) return first * falling(1, static_cast<double>(done_) / static_cast<double>(burn_in));
  if (options_->steps == Steps::cosine) return first * lowest;
  return first * falling(restart, static_cast<double>((done_ - burn_in) % cycle) / static_cast<double>(cycle));
}

std::int64_t ImageChain::burn_in_batches() const {
  return planned_batches() - options_->draws * options_->batches_between_draws(per_epoch_);
}

bool ImageChain::at_draw() const {
  const std::int64_t after = done_ - burn_in_batches();
  return after > 0 && after % options_->batches_between_draws(per_epoch_) == 0;
}

void ImageChain::step(const ImageRows& rows) {
  if (masks_due()) move_masks(rows);
  const std::uint64_t seed = rng_.bits();
  density_.bind(rows, state_, images_ / static_cast<double>(rows.count()));
  gradient_.resize(state_.weights.size());
  density_.gradient(state_.weights, gradient_);
  const double loss = -density_.mean_log_likelihood();
  if (!std::isfinite(loss))
    throw SamplerError(
        fmt::format("the loss is not a number at batch {} of {}: the moves are too long; start again with a smaller "
                    "step size",
                    done_ + 1, batches_in_all()));
  loss_ = done_ == 0 ? loss : loss_ + (loss - loss_) / static_cast<double>(std::min<std::int64_t>(done_ + 1, 100));
  density_.network().update_running(state_.norm);
  move_all_weights(seed);
  ++done_;
  remember(rows);
}

// Every so many batches, half of them off the run's end, so that weights have answered the moves when a draw is due.
// The sequential test waits at the start of an epoch for its batches, or for half of the epoch's; moves that are due
// meanwhile are made once.
bool ImageChain::masks_due() const {
  if (!options_->masks) return false;
  const std::int64_t every = options_->mask_every, shift = every / 2 + (every - planned_batches() % every) % every;
  const auto times = [&](std::int64_t batches) { return (batches + shift) / every; };
  const std::int64_t waited = options_->mask_test == MaskTest::sequential
                                  ? std::min(static_cast<std::int64_t>(options_->mask_pool), (per_epoch_ + 1) / 2) - 1
                                  : 0;
  const std::int64_t in_epoch = done_ % per_epoch_;
  if (in_epoch < waited) return false;
  return times(done_ + 1) > times(in_epoch == waited ? done_ - waited : done_);
}

// Of the epoch at hand, in which no image comes twice; beside the batch of a move itself.
std::int64_t ImageChain::batches_to_remember() const {
  if (!options_->masks || options_->mask_test != MaskTest::sequential) return 0;
  return std::min(static_cast<std::int64_t>(options_->mask_pool) - 1, done_ % per_epoch_);
}

void ImageChain::remember(const ImageRows& rows) {
  const auto wanted = static_cast<std::size_t>(batches_to_remember());
  if (wanted > 0)
    old_batches_.push_front({{rows.pixels.begin(), rows.pixels.end()}, {rows.labels.begin(), rows.labels.end()}});
  while (old_batches_.size() > wanted) old_batches_.pop_back();
}

// MHBT needs a new batch for each move.
std::size_t ImageChain::refit_moves(std::size_t layer) const {
  if (options_->refit_moves >= 0) return static_cast<std::size_t>(options_->refit_moves);
  if (options_->mask_test == MaskTest::mhbt) return 0;
  return std::min<std::size_t>(32, (model_->architecture.unit(layer).width + 1) / 2);
}

// Scales and shifts of inactive channels have the gradient 0 and must not be moved by noise either.
void ImageChain::move_all_weights(std::uint64_t seed) {
  engine_.activate();
  WeightMove move{options_->sampler, options_->precondition, step_size(), temperature_, options_->friction, images_, 1};
  move.correction = 1 - std::pow(kSquaresDecay, static_cast<double>(done_ + 1));
  move_weights(move, gradient_, state_.weights, memory_, seed);
  std::vector<char> active(state_.norm.scale.size(), 0);
  for (std::size_t slot : active_slots(model_->architecture, state_.gates)) active[slot] = 1;
  const auto move_norms = [&](const std::vector<float>& gradient, std::vector<float>& values, WeightMemory& memory,
                              std::uint64_t own_seed) {
    const std::vector<float> before = values;
    move_weights(move, gradient, values, memory, own_seed);
    for (std::size_t s = 0; s < values.size(); ++s) {
      if (active[s]) continue;
      values[s] = before[s];
      for (auto* remembered : {&memory.squares, &memory.velocity})
        if (!remembered->empty()) (*remembered)[s] = 0;
    }
  };
  move_norms(density_.scale_gradient(), state_.norm.scale, scale_memory_, seed + 1);
  move_norms(density_.shift_gradient(), state_.norm.shift, shift_memory_, seed + 2);
}

void ImageChain::move_masks(const ImageRows& rows) {
  const bool tempered = options_->mask_test == MaskTest::mhbt;
  std::vector<ImageRows> further;
  for (const OldBatch& batch : old_batches_) further.push_back({batch.pixels, batch.labels});
  flips_.bind(rows, state_, tempered ? 1 : images_ / static_cast<double>(rows.count()), std::move(further));
  birth_death_.forget();
  const auto move = [&](auto&& step) {
    const Gates before = state_.gates;
    const MoveInfo info = step();
    const bool birth = info.direction == Direction::birth, accepted = info.outcome == MoveInfo::Outcome::accepted;
    if (info.outcome != MoveInfo::Outcome::impossible) ++(birth ? counts_.births : counts_.deaths);
    if (!accepted) return;
    ++(birth ? counts_.accepted_births : counts_.accepted_deaths);
    rearrange_memory(before);
  };
  for (std::size_t i = 0; i < options_->mask_moves; ++i) move([&] { return birth_death_.step(flips_, rng_); });
  if (options_->refit_moves == 0) return;
  const std::size_t layer = 1 + rng_.below(flips_.layers()), moves = refit_moves(layer);
  flips_.stay_in(layer);
  for (std::size_t i = 0; i < moves; ++i) move([&] { return refit_step(flips_, layer, birth_death_.test(), rng_); });
  flips_.leave_layer();
}

// What is new, an edge or a norm, starts at rest, with the mean square of all that were there.
void ImageChain::rearrange_memory(const Gates& before) {
  const auto rearranged = [&](std::vector<float>& values, float newborn) {
    if (values.empty()) return;
    values = rearrange(model_->architecture, before, values, state_.gates,
                       [&](const ImageEdge&, std::span<float> edge) { std::ranges::fill(edge, newborn); });
  };
  const auto over = [](double sum, std::size_t count) {
    return static_cast<float>(sum / static_cast<double>(std::max<std::size_t>(1, count)));
  };
  rearranged(memory_.squares,
             over(std::accumulate(memory_.squares.begin(), memory_.squares.end(), 0.0), memory_.squares.size()));
  rearranged(memory_.velocity, 0.0f);

  const auto old_slots = active_slots(model_->architecture, before);
  std::vector<char> old(state_.norm.scale.size(), 0);
  for (std::size_t slot : old_slots) old[slot] = 1;
  for (WeightMemory* memory : {&scale_memory_, &shift_memory_}) {
    double sum = 0;
    if (!memory->squares.empty())
      for (std::size_t slot : old_slots) sum += memory->squares[slot];
    for (std::size_t slot : active_slots(model_->architecture, state_.gates)) {
      if (old[slot]) continue;
      if (!memory->squares.empty()) memory->squares[slot] = over(sum, old_slots.size());
      if (!memory->velocity.empty()) memory->velocity[slot] = 0;
    }
  }
}

std::vector<std::byte> ImageChain::checkpoint() const {
  ByteWriter out;
  out.put(kImageCheckpointVersion);
  out.put(done_);
  out.put(loss_);
  out.put(counts_);
  out.put(rng_.state());
  write_image_state(state_, out);
  for (const auto* memory : {&memory_, &scale_memory_, &shift_memory_}) {
    out.put_all(memory->squares);
    out.put_all(memory->velocity);
  }
  return out.take();
}

void ImageChain::restore(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  check_image_version(in);
  done_ = in.get<std::int64_t>();
  loss_ = in.get<double>();
  counts_ = in.get<MaskCounts>();
  rng_ = Rng::from_state(in.get<Rng::State>());
  state_ = read_image_state(in, model_->architecture);
  for (auto* memory : {&memory_, &scale_memory_, &shift_memory_})
    for (auto* values : {&memory->squares, &memory->velocity}) {
      *values = in.get_all<float>();
      check_length(*values, memory == &memory_ ? state_.weights.size() : state_.norm.scale.size());
      require_content(all_finite(*values), "what a checkpoint keeps of its moves is not finite");
    }
  require_content(!state_.gates.active.empty() && in.done(), "a checkpoint has no network, or goes on after its end");
  require_content(done_ >= 0 && done_ <= batches_in_all() && std::isfinite(loss_),
                  "a checkpoint counts what no chain can have done");
}

}  // namespace mbnn
