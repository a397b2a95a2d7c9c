// A chain over masked convolutional networks: stochastic gradient moves of the weights, births and deaths of channels.
#pragma once

#include <deque>
#include <vector>

#include "mbnn/core/bytes.h"
#include "mbnn/images/batch_learner.h"
#include "mbnn/images/channel_flips.h"
#include "mbnn/images/channel_refit.h"
#include "mbnn/images/image_chain_options.h"
#include "mbnn/images/model.h"
#include "mbnn/sample/birth_death.h"
#include "mbnn/sample/langevin.h"

namespace mbnn {

class ImageChain : public BatchLearner {
 public:
  // Model and options must outlive it. The run has epochs() * batches_per_epoch batches.
  ImageChain(const ImageModel& model, const ImageChainOptions& options, std::size_t batches_per_epoch,
             std::size_t threads);

  // From random filters.
  void start() override;
  void step(const ImageRows& rows) override;

  std::int64_t batches_done() const override { return done_; }
  static std::int64_t length(const ImageChainOptions& options, std::int64_t per_epoch) {
    return options.epochs() * per_epoch + options.further_draws * options.batches_between_draws(per_epoch);
  }
  std::int64_t batches_in_all() const override { return length(*options_, per_epoch_); }
  // True after a batch whose state is a draw to keep.
  bool at_draw() const;
  const ImageState* draw_due() const override { return at_draw() ? &state_ : nullptr; }
  const ImageState& state() const override { return state_; }
  MaskCounts mask_counts() const override { return counts_; }
  double training_loss() const override { return loss_; }
  double step_size() const override;

  void remember(const ImageRows& rows) override;
  std::int64_t batches_to_remember() const override;

  std::vector<std::byte> checkpoint() const override;
  void restore(std::span<const std::byte> bytes) override;

 private:
  std::int64_t planned_batches() const { return options_->epochs() * per_epoch_; }  // without further draws
  std::int64_t burn_in_batches() const;
  bool masks_due() const;
  void move_masks(const ImageRows& rows);
  std::size_t refit_moves(std::size_t layer) const;
  void rearrange_memory(const Gates& before);
  void move_all_weights(std::uint64_t seed);

  const ImageModel* model_;
  const ImageChainOptions* options_;
  std::int64_t per_epoch_;
  double images_, temperature_;
  Rng rng_;
  ImageState state_;
  WeightMemory memory_, scale_memory_, shift_memory_;
  std::int64_t done_ = 0;
  double loss_ = 0;
  MaskCounts counts_;
  struct OldBatch {
    std::vector<float> pixels;
    std::vector<std::int32_t> labels;
  };
  std::deque<OldBatch> old_batches_;

  // Scratch, empty between batches as far as results go.
  ConvEngine engine_;
  ImageDensity density_;
  ImageFlips flips_;
  BirthDeath birth_death_;
  std::vector<float> gradient_;
};

}  // namespace mbnn
