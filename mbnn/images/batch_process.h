// A learner with the batches that it learns from: what a run of images advances.
#pragma once

#include <memory>

#include "mbnn/images/batch_learner.h"
#include "mbnn/images/image_configuration.h"
#include "mbnn/run/process.h"

namespace mbnn {

// What a process refers to, and keeps alive.
struct BatchSetting {
  ImageConfiguration configuration;  // with the seed of the process
  ImageModel model;
  ImageScaling scaling;
  std::shared_ptr<const ImageSet> training, held_back;
  std::size_t threads = 1;

  std::int64_t batches_per_epoch() const {
    return static_cast<std::int64_t>(training->count / configuration.chain.loader.batch);
  }
};

class BatchProcess : public Process {
 public:
  // The learner that the configuration's method asks for.
  explicit BatchProcess(std::unique_ptr<const BatchSetting> setting);
  BatchProcess(std::unique_ptr<const BatchSetting> setting, std::unique_ptr<BatchLearner> learner);
  ~BatchProcess() override;

  void start() override { learner_->start(); }
  void advance() override;
  std::int64_t done() const override { return learner_->batches_done(); }
  std::optional<Draw> draw() override;
  Status status() const override;
  nlohmann::json statistics() const override;
  std::vector<std::byte> checkpoint() const override;
  void restore(std::int64_t done, std::span<const std::byte> checkpoint) override;

 private:
  void start_loading();
  void require_numbers() const;

  std::unique_ptr<const BatchSetting> setting_;
  std::unique_ptr<BatchLearner> learner_;
  std::unique_ptr<class ImageLoader> loader_;  // from the first batch on
  double batch_seconds_ = 0;                   // a mean over the last batches
  std::int64_t timed_ = 0;
};

// Of a process, whatever its method.
std::int64_t batches_in_all(const ImageConfiguration& configuration, std::int64_t batches_per_epoch);

// The names of the numbers stored with each draw.
std::vector<std::string> image_trace_names();

// A method other than the chain holds images back: drawn at random, they are taken out of the set, which is left in
// another order.
ImageSet hold_back(ImageSet& images, std::size_t count, Rng& rng);

}  // namespace mbnn
