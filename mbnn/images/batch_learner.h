// Something that learns from batches of images and, from time to time, gives networks to keep: the chain, and each of
// the methods that it is compared with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mbnn/images/model.h"

namespace mbnn {

struct MaskCounts {
  std::uint64_t births = 0, deaths = 0;  // proposed and possible
  std::uint64_t accepted_births = 0, accepted_deaths = 0;
};

class BatchLearner {
 public:
  virtual ~BatchLearner() = default;

  // A restored process does not need it.
  virtual void start() = 0;
  // One batch. Every batch starts from what a checkpoint holds, so a resumed process continues to the same bits on the
  // same machine with as many threads. Throws SamplerError if the log-likelihood is not a number, before the
  // gradient has moved any weight.
  virtual void step(const ImageRows& rows) = 0;

  virtual std::int64_t batches_done() const = 0;
  virtual std::int64_t batches_in_all() const = 0;
  // After a batch: the network that it completed and that is to be kept, or null. Valid until the next batch.
  virtual const ImageState* draw_due() const = 0;
  // The network at hand, and how it fares over about the last 100 batches.
  virtual const ImageState& state() const = 0;
  virtual double training_loss() const = 0;
  virtual double step_size() const = 0;
  virtual MaskCounts mask_counts() const { return {}; }

  // Some look at their last batches once more. A checkpoint does not hold these, so whoever restores a process shows it
  // the batches_to_remember() before the next.
  virtual std::int64_t batches_to_remember() const { return 0; }
  virtual void remember(const ImageRows&) {}

  virtual std::vector<std::byte> checkpoint() const = 0;
  virtual void restore(std::span<const std::byte> bytes) = 0;
};

}  // namespace mbnn
