// What the image baselines have in common as processes: the batches done, the loss, the network at hand, the
// checkpoint.
#pragma once

#include "mbnn/core/rng.h"
#include "mbnn/images/baselines/trainer.h"
#include "mbnn/images/batch_learner.h"

namespace mbnn {

struct ImageBaselineSetting {
  const ImageModel* model = nullptr;
  const ImageBaselineOptions* options = nullptr;
  std::int64_t epochs = 1;  // of one training
  std::int64_t networks = 5;
  std::int64_t batches_per_epoch = 1;
  std::uint64_t seed = 1;
  std::size_t threads = 1;

  std::int64_t training() const { return epochs * batches_per_epoch; }  // batches of one
};

class ImageBaseline : public BatchLearner {
 public:
  // What the setting points at must outlive it.
  explicit ImageBaseline(const ImageBaselineSetting& setting);

  void start() final {}  // the first batch makes the first network
  void step(const ImageRows& rows) final;
  std::int64_t batches_done() const final { return done_; }
  const ImageState* draw_due() const final { return due_ ? &state_ : nullptr; }
  const ImageState& state() const final { return state_; }
  double training_loss() const final { return loss_; }
  double step_size() const final { return rate_; }
  std::vector<std::byte> checkpoint() const final;
  void restore(std::span<const std::byte> bytes) final;

 protected:
  // One batch, with done() batches before it. Returns true if state() is then a network to keep.
  virtual bool advance(const ImageRows& rows) = 0;
  // What the method adds to the checkpoint.
  virtual void write_more(ByteWriter&) const {}
  virtual void read_more(ByteReader&) {}

  std::int64_t done() const { return done_; }
  const ImageModel& model() const { return *setting_.model; }
  const ImageArchitecture& architecture() const { return setting_.model->architecture; }
  const ImageBaselineOptions& options() const { return *setting_.options; }
  double learning_rate() const { return options().learning_rate_for(architecture()); }
  std::int64_t networks() const { return setting_.networks; }
  std::int64_t batches(std::int64_t epochs) const { return epochs * setting_.batches_per_epoch; }
  std::int64_t epochs() const { return setting_.epochs; }
  std::int64_t training() const { return setting_.training(); }  // batches of one
  const ImageBaselineSetting& setting() const { return setting_; }

  // A new random network, and no memory.
  void start_anew();
  // One batch of the training of state_, on the channels `active`.
  void train(const ImageRows& rows, double rate, const Gates& active);
  void train(const ImageRows& rows, double rate) { train(rows, rate, state_.gates); }
  // Throws SamplerError if it is not a number.
  void take_loss(double loss);
  // One batch of settling the running statistics of state_: the k-th, from 0, since its weights or channels changed.
  void settle_norms(const ImageRows& rows, std::int64_t k);
  // The mean of log p(label) by running statistics.
  double mean_log_likelihood(const ImageRows& rows);

  Rng rng_;
  ConvEngine engine_;
  ImageState state_;
  TrainerMemory memory_;
  double rate_ = 0;

 private:
  ImageBaselineSetting setting_;
  ImageTrainer trainer_;
  ImageNetwork network_;
  std::int64_t done_ = 0;
  double loss_ = 0;
  bool due_ = false;
};

}  // namespace mbnn
