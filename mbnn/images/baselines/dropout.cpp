#include "mbnn/images/baselines/dropout.h"

#include "mbnn/images/baselines/ranking.h"
#include "mbnn/images/checkpoint_bytes.h"

namespace mbnn {

Gates TargetedDropout::mask(const ImageState& state) {
  return targeted_mask(architecture(), state, options().drop_share, options().drop_probability, rng_);
}

bool TargetedDropout::advance(const ImageRows& rows) {
  if (done() == 0) start_anew();
  if (done() < training()) {
    const double progress = static_cast<double>(done()) / static_cast<double>(training());
    train(rows, cosine_rate(learning_rate(), progress), mask(state_));
    return false;
  }
  if (done() == training()) whole_ = std::move(state_);
  const std::int64_t k = (done() - training()) % options().norm_batches;
  if (k == 0) state_ = without_others(architecture(), whole_, mask(whole_));
  settle_norms(rows, k);
  return k + 1 == options().norm_batches;
}

void TargetedDropout::write_more(ByteWriter& out) const { write_image_state(whole_, out); }

void TargetedDropout::read_more(ByteReader& in) {
  whole_ = read_image_state(in, architecture());
  require_content(done() <= training() || !whole_.weights.empty(), "a checkpoint lacks the network that was trained");
}

}  // namespace mbnn
