// Targeted dropout of channels (Gomez et al. 2019), kept at prediction time: one training, then networks with random
// masks.
#pragma once

#include "mbnn/images/baselines/baseline.h"

namespace mbnn {

class TargetedDropout : public ImageBaseline {
 public:
  using ImageBaseline::ImageBaseline;
  static std::int64_t length(const ImageBaselineSetting& s) {
    return s.training() + s.networks * s.options->norm_batches;
  }
  std::int64_t batches_in_all() const override { return length(setting()); }

 protected:
  bool advance(const ImageRows& rows) override;
  void write_more(ByteWriter& out) const override;
  void read_more(ByteReader& in) override;

 private:
  Gates mask(const ImageState& state);

  ImageState whole_;  // once it is trained
};

}  // namespace mbnn
