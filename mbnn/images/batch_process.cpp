#include "mbnn/images/batch_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mbnn/core/clock.h"
#include "mbnn/core/error.h"
#include "mbnn/images/baselines/compression.h"
#include "mbnn/images/baselines/dropout.h"
#include "mbnn/images/baselines/ensembles.h"
#include "mbnn/images/channel_chain.h"
#include "mbnn/images/loader.h"
#include "mbnn/images/network_file.h"

namespace mbnn {

namespace {

constexpr std::int64_t kTimedBatches = 200;  // over so many the times of mask moves even out

ImageBaselineSetting baseline_setting(const ImageConfiguration& c, const ImageModel* model, std::int64_t per_epoch,
                                      std::size_t threads) {
  return {model, &c.baseline, c.chain.epochs(), c.chain.draws, per_epoch, c.chain.loader.seed, threads};
}

std::unique_ptr<BatchLearner> make_learner(const BatchSetting& s) {
  const ImageConfiguration& c = s.configuration;
  const std::int64_t per_epoch = s.batches_per_epoch();
  const ImageBaselineSetting setting = baseline_setting(c, &s.model, per_epoch, s.threads);
  switch (c.method) {
    case ImageMethod::mbnn:
      break;
    case ImageMethod::ensemble:
      return std::make_unique<DenseEnsemble>(setting);
    case ImageMethod::ns_ens:
      return std::make_unique<PrunedEnsemble>(setting, *s.held_back, s.scaling);
    case ImageMethod::ns_mc:
      return std::make_unique<TargetedDropout>(setting);
    case ImageMethod::ns_vi:
      return std::make_unique<VariationalImages>(setting);
  }
  return std::make_unique<ImageChain>(s.model, c.chain, static_cast<std::size_t>(per_epoch), s.threads);
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return 100 * static_cast<double>(part) / static_cast<double>(whole);
}

struct Shares {
  double capacity, flops;  // of the network at the start, in per cent
};

Shares shares_of(const ImageArchitecture& architecture, const Gates& gates) {
  const ImageCost cost = image_cost(architecture, gates);
  const ImageCost dense = image_cost(architecture, architecture.initial_gates());
  return {percent(cost.parameters, dense.parameters), percent(cost.multiply_adds, dense.multiply_adds)};
}

}  // namespace

std::int64_t batches_in_all(const ImageConfiguration& c, std::int64_t per_epoch) {
  const ImageBaselineSetting setting = baseline_setting(c, nullptr, per_epoch, 1);
  switch (c.method) {
    case ImageMethod::mbnn:
      break;
    case ImageMethod::ensemble:
      return DenseEnsemble::length(setting);
    case ImageMethod::ns_ens:
      return PrunedEnsemble::length(setting);
    case ImageMethod::ns_mc:
      return TargetedDropout::length(setting);
    case ImageMethod::ns_vi:
      return VariationalImages::length(setting);
  }
  return ImageChain::length(c.chain, per_epoch);
}

std::vector<std::string> image_trace_names() { return {"loss", "channels", "capacity_percent", "flops_percent"}; }

ImageSet hold_back(ImageSet& images, std::size_t count, Rng& rng) {
  const std::size_t size = images.image_size();
  const auto place = [&](std::size_t i) { return images.pixels.begin() + static_cast<std::ptrdiff_t>(i * size); };
  for (std::size_t last = images.count; last > images.count - count; --last) {
    const std::size_t drawn = rng.below(last);
    if (drawn + 1 == last) continue;
    std::swap_ranges(place(drawn), place(drawn + 1), place(last - 1));
    std::swap(images.labels[drawn], images.labels[last - 1]);
  }
  const std::size_t stay = images.count - count;
  ImageSet held{count, images.channels, images.height, images.width, images.classes, {}, {}};
  held.pixels.assign(place(stay), images.pixels.end());
  held.labels.assign(images.labels.begin() + static_cast<std::ptrdiff_t>(stay), images.labels.end());
  images.count = stay;
  images.pixels.resize(stay * size);
  images.labels.resize(stay);
  return held;
}

BatchProcess::BatchProcess(std::unique_ptr<const BatchSetting> setting)
    : setting_(std::move(setting)), learner_(make_learner(*setting_)) {}

BatchProcess::BatchProcess(std::unique_ptr<const BatchSetting> setting, std::unique_ptr<BatchLearner> learner)
    : setting_(std::move(setting)), learner_(std::move(learner)) {}

BatchProcess::~BatchProcess() = default;

// Some look at their last batches once more, which a checkpoint does not hold.
void BatchProcess::start_loading() {
  const std::int64_t done = learner_->batches_done(), again = std::min(done, learner_->batches_to_remember());
  loader_ = std::make_unique<ImageLoader>(*setting_->training, setting_->scaling, setting_->configuration.chain.loader,
                                          static_cast<std::uint64_t>(done - again));
  for (std::int64_t i = 0; i < again; ++i) {
    const ImageBatch& batch = loader_->next();
    learner_->remember({batch.pixels, batch.labels});
  }
}

void BatchProcess::advance() {
  if (!loader_) start_loading();
  const Stopwatch watch;
  const ImageBatch& batch = loader_->next();
  learner_->step({batch.pixels, batch.labels});
  const double seconds = watch.seconds();
  batch_seconds_ += (seconds - batch_seconds_) / static_cast<double>(std::min(++timed_, kTimedBatches));
}

// What is stored is what a later run goes on from: never a network whose sums would overflow.
void BatchProcess::require_numbers() const {
  const ImageState& state = learner_->state();
  const auto within = [](const std::vector<float>& values, float most) {
    return std::ranges::all_of(values, [=](float value) { return std::abs(value) < most; });
  };
  const NormState& norm = state.norm;
  if (within(state.weights, 1e15f) && within(norm.scale, 1e15f) && within(norm.shift, 1e15f) &&
      within(norm.mean, 1e30f) && within(norm.variance, 1e30f))
    return;
  throw SamplerError(
      fmt::format("the network's weights left all bounds at batch {} of {}: the moves are too long; start again with a "
                  "smaller step size or learning rate",
                  done(), learner_->batches_in_all()));
}

std::optional<Draw> BatchProcess::draw() {
  const ImageState* state = learner_->draw_due();
  if (!state) return {};
  require_numbers();
  const ImageArchitecture& architecture = setting_->model.architecture;
  const Shares shares = shares_of(architecture, state->gates);
  return Draw{to_bytes({architecture, setting_->scaling, *state}),
              {learner_->training_loss(), static_cast<double>(active_nodes(state->gates).size()), shares.capacity,
               shares.flops}};
}

Status BatchProcess::status() const {
  const ImageArchitecture& architecture = setting_->model.architecture;
  const ImageConfiguration& c = setting_->configuration;
  const std::int64_t per_epoch = setting_->batches_per_epoch();
  Status status;
  status.phase = c.method == ImageMethod::mbnn ? Status::Phase::sampling : Status::Phase::training;
  status.place = fmt::format("epoch {}/{}", std::max<std::int64_t>(0, done() - 1) / per_epoch + 1,
                             (learner_->batches_in_all() - 1) / per_epoch + 1);
  const Gates& gates = learner_->state().gates;
  if (gates.active.empty()) return status;
  for (std::size_t u = 1; u <= architecture.gates(); ++u) {
    if (u == 1 || architecture.unit(u).stride > 1) status.widths.push_back(0);
    status.widths.back() += gates.active[u - 1].size();
  }
  const Shares shares = shares_of(architecture, gates);
  if (batch_seconds_ > 0)
    status.figures.push_back({"images/s", static_cast<double>(c.chain.loader.batch) / batch_seconds_, 0});
  status.figures.push_back({"capacity %", shares.capacity, 1});
  status.figures.push_back({"FLOPs %", shares.flops, 1});
  status.figures.push_back({"loss", learner_->training_loss(), 4});
  if (c.method != ImageMethod::mbnn) return status;
  const MaskCounts masks = learner_->mask_counts();
  status.figures.push_back({"births", static_cast<double>(masks.accepted_births), 0});
  status.figures.push_back({"deaths", static_cast<double>(masks.accepted_deaths), 0});
  return status;
}

nlohmann::json BatchProcess::statistics() const {
  const Gates& gates = learner_->state().gates;
  std::vector<std::size_t> widths;
  for (const auto& active : gates.active) widths.push_back(active.size());
  const ImageCost cost = gates.active.empty() ? ImageCost{} : image_cost(setting_->model.architecture, gates);
  const MaskCounts masks = learner_->mask_counts();
  return {{"loss", learner_->training_loss()},
          {"threads", setting_->threads},
          {"widths", widths},
          {"multiply_adds", cost.multiply_adds},
          {"parameters", cost.parameters},
          {"births", masks.births},
          {"deaths", masks.deaths},
          {"accepted_births", masks.accepted_births},
          {"accepted_deaths", masks.accepted_deaths}};
}

// Before the first batch there is nothing that a start would not make again.
std::vector<std::byte> BatchProcess::checkpoint() const {
  if (done() == 0) return {};
  require_numbers();
  return learner_->checkpoint();
}

void BatchProcess::restore(std::int64_t, std::span<const std::byte> checkpoint) { learner_->restore(checkpoint); }

}  // namespace mbnn
