// Node-sparse variational inference for images: a training, then Bayesian compression from there, then draws.
#pragma once

#include "mbnn/images/baselines/baseline.h"
#include "mbnn/images/baselines/channel_posterior.h"

namespace mbnn {

class VariationalImages : public ImageBaseline {
 public:
  explicit VariationalImages(const ImageBaselineSetting& setting)
      : ImageBaseline(setting), bound_(setting.model->architecture, engine_) {}
  static std::int64_t length(const ImageBaselineSetting& s) {
    return 2 * s.training() + s.networks * s.options->norm_batches;
  }
  std::int64_t batches_in_all() const override { return length(setting()); }

 protected:
  bool advance(const ImageRows& rows) override;
  void write_more(ByteWriter& out) const override;
  void read_more(ByteReader& in) override;

 private:
  void compress(const ImageRows& rows);

  ImagePosterior posterior_;  // empty during the first training
  std::int64_t steps_ = 0;    // of its optimiser
  AdamMemory mean_, log_variance_, scale_mean_, scale_log_variance_, norm_scale_, norm_shift_;

  ImageBound bound_;  // scratch, as the gradient
  ImageBound::Gradient gradient_;
};

}  // namespace mbnn
