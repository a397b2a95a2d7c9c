// The posterior of a masked convolutional network, and its density by weights and norm parameters on a batch of images.
#pragma once

#include <span>
#include <vector>

#include "mbnn/net/conv/network.h"
#include "mbnn/sample/priors.h"
#include "mbnn/sample/weight_density.h"

namespace mbnn {

// The prior of the paper on masks, filters, weights and biases. Scales and shifts of norms are outside of it: their
// prior is flat.
struct ImageModel {
  ImageArchitecture architecture;
  WeightPrior weight_prior{.scale = 0.1};
  WidthPrior width_prior{.lambda = 0.05};  // with the number of training images
};

struct ImageState {
  Gates gates;
  std::vector<float> weights;  // of active channels, laid out as ImageShape says
  NormState norm;
};

// The first channels of each unit, with filters of the size that keeps signals alive (He et al. 2015).
ImageState initial_state(const ImageModel& model, Rng& rng);

double log_mask_prior(const ImageModel& model, const Gates& gates);

// Images ready for the network; what it points at must outlive its use.
struct ImageRows {
  std::span<const float> pixels;  // [image][channel][row][column]
  std::span<const std::int32_t> labels;
  std::size_t count() const { return labels.size(); }
};

// log p(label) of each image; if d_logits is not empty, also the derivative of their sum, times `scale`.
std::vector<double> softmax_log_likelihoods(std::span<const float> logits, std::span<const std::int32_t> labels,
                                            double scale = 1, std::span<float> d_logits = {});

// Likelihood terms are multiplied by `scale`, n / batch; norms use the statistics of the batch.
class ImageDensity {
 public:
  ImageDensity(const ImageModel& model, ConvEngine& engine) : model_(&model), network_(model.architecture, engine) {}

  // Masks and norm parameters are those of the state, which must outlive the evaluations.
  void bind(const ImageRows& rows, const ImageState& state, double scale);

  double log_density(std::span<const float> weights);
  double log_density_and_gradient(std::span<const float> weights, std::span<float> gradient);
  void gradient(std::span<const float> weights, std::span<float> gradient);

  // At the last evaluation: mean over the images, and, by slots, the gradient that went with it.
  double mean_log_likelihood() const { return log_likelihood_ / static_cast<double>(rows_.count()); }
  const std::vector<float>& scale_gradient() const { return d_scale_; }
  const std::vector<float>& shift_gradient() const { return d_shift_; }
  // As the last evaluation left it; free for other work until the next.
  ImageNetwork& network() { return network_; }

 private:
  void evaluate(std::span<const float> weights, std::span<float> gradient);

  const ImageModel* model_;
  ImageNetwork network_;
  ImageRows rows_;
  const ImageState* state_ = nullptr;
  double scale_ = 1, log_likelihood_ = 0;
  std::vector<float> d_logits_, d_scale_, d_shift_;
};

static_assert(WeightDensity<ImageDensity>);

}  // namespace mbnn
