// The training that all image baselines share: Adam on the cross-entropy of a convolutional network, batch by batch.
#pragma once

#include "mbnn/images/method.h"
#include "mbnn/images/model.h"
#include "mbnn/sample/adam.h"

namespace mbnn {

// What is kept from batch to batch beside the network.
struct TrainerMemory {
  std::int64_t steps = 0;
  AdamMemory weights, scale, shift;

  void write(ByteWriter& out) const;
  static TrainerMemory read(ByteReader& in);
};

class ImageTrainer {
 public:
  // All of them must outlive it.
  ImageTrainer(const ImageArchitecture& architecture, const ImageBaselineOptions& options, ConvEngine& engine)
      : architecture_(&architecture), options_(&options), engine_(&engine), network_(architecture, engine) {}

  // The mean cross-entropy of the batch; its gradient is kept for move(). Channels of the state that are not in
  // `active` are left out of the network: their weights have the gradient 0.
  double evaluate(const ImageRows& rows, const ImageState& state, const Gates& active);
  double evaluate(const ImageRows& rows, const ImageState& state) { return evaluate(rows, state, state.gates); }
  // A step of Adam along the gradient, and of the running statistics towards those of the batch. Weights decay, biases
  // and norms do not.
  void move(double rate, ImageState& state, TrainerMemory& memory);

 private:
  const ImageArchitecture* architecture_;
  const ImageBaselineOptions* options_;
  ConvEngine* engine_;
  ImageNetwork network_;
  Gates active_;
  std::vector<float> weights_, gradient_, d_logits_, d_scale_, d_shift_;
};

// Running statistics of a network whose weights or channels have just changed: the mean over all batches so far. The
// usual running mean takes over from the tenth batch of a training on.
inline double settling_momentum(std::int64_t batches_before) { return 1 / static_cast<double>(batches_before + 1); }

}  // namespace mbnn
