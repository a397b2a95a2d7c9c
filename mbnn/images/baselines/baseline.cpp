#include "mbnn/images/baselines/baseline.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mbnn/core/error.h"
#include "mbnn/images/checkpoint_bytes.h"

namespace mbnn {

namespace {

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

ImageBaseline::ImageBaseline(const ImageBaselineSetting& setting)
    : rng_(setting.seed, 2),
      engine_(setting.threads),
      setting_(setting),
      trainer_(setting.model->architecture, *setting.options, engine_),
      network_(setting.model->architecture, engine_) {}

void ImageBaseline::step(const ImageRows& rows) {
  due_ = advance(rows);
  ++done_;
}

void ImageBaseline::start_anew() {
  state_ = initial_state(model(), rng_);
  memory_ = {};
}

void ImageBaseline::train(const ImageRows& rows, double rate, const Gates& active) {
  rate_ = rate;
  take_loss(trainer_.evaluate(rows, state_, active));
  trainer_.move(rate, state_, memory_);
}

void ImageBaseline::take_loss(double loss) {
  if (!std::isfinite(loss))
    throw SamplerError(
        fmt::format("the loss is not a number at batch {} of {}: the moves are too long; start again with a smaller "
                    "learning rate",
                    done_ + 1, batches_in_all()));
  loss_ = done_ == 0 ? loss : loss_ + (loss - loss_) / static_cast<double>(std::min<std::int64_t>(done_ + 1, 100));
}

void ImageBaseline::settle_norms(const ImageRows& rows, std::int64_t k) {
  network_.set({&state_.gates, state_.weights, &state_.norm});
  network_.forward(rows.pixels, rows.count(), ImageNetwork::Norm::batch);
  take_loss(-mean_of(softmax_log_likelihoods(network_.logits(), rows.labels)));
  network_.update_running(state_.norm, settling_momentum(k));
}

double ImageBaseline::mean_log_likelihood(const ImageRows& rows) {
  network_.set({&state_.gates, state_.weights, &state_.norm});
  network_.forward(rows.pixels, rows.count(), ImageNetwork::Norm::running);
  return mean_of(softmax_log_likelihoods(network_.logits(), rows.labels));
}

std::vector<std::byte> ImageBaseline::checkpoint() const {
  ByteWriter out;
  out.put(kImageCheckpointVersion);
  out.put(done_);
  out.put(loss_);
  out.put(rate_);
  out.put(rng_.state());
  write_image_state(state_, out);
  memory_.write(out);
  write_more(out);
  return out.take();
}

void ImageBaseline::restore(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  check_image_version(in);
  done_ = in.get<std::int64_t>();
  loss_ = in.get<double>();
  rate_ = in.get<double>();
  rng_ = Rng::from_state(in.get<Rng::State>());
  state_ = read_image_state(in, architecture());
  memory_ = TrainerMemory::read(in);
  read_more(in);
  require_content(!state_.gates.active.empty() && in.done(), "a checkpoint has no network, or goes on after its end");
  require_content(done_ >= 0 && done_ <= batches_in_all() && std::isfinite(loss_),
                  "a checkpoint has done more batches than there are");
}

}  // namespace mbnn
