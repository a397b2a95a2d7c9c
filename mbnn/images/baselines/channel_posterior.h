// Bayesian compression (Louizos, Ullrich and Welling 2017) of convolutional networks: a normal scale for each channel,
// normal weights given the scales of the channels that they read, and the lower bound with its gradient on a batch.
#pragma once

#include <span>
#include <vector>

#include "mbnn/images/baselines/ranking.h"
#include "mbnn/images/model.h"

namespace mbnn {

// q: scale z_c ~ N(m, s^2) of each channel; a weight that reads channel c is z_c v with v ~ N(mu, sigma^2). Weights
// that read the image, and biases, have z = 1. Scales and shifts of norms are numbers.
struct ImagePosterior {
  Gates gates;
  std::vector<float> mean, log_variance;              // of v, laid out as ImageShape says
  std::vector<float> scale_mean, scale_log_variance;  // of z, gate after gate
  NormState norm;

  // Around a network: scales near 1 with a log variance of -9, as the authors start; weights whose sd is a tenth of the
  // root mean square of their block of filters, and at most exp(-9/2).
  static ImagePosterior around(const ImageArchitecture& architecture, const ImageState& state);
  // log(s^2 / m^2) of each channel.
  ChannelValues log_dropout_rates() const;
  // Channels whose rate is at most the threshold; of each gate at least the one with the lowest.
  Gates kept(double threshold) const;
};

// v and z for one pass through the network.
struct ImageSample {
  std::vector<float> weights, scales;  // v; z, gate after gate
};
// mean + sd noise, with the noise of the same layout as the sample.
ImageSample sample_of(const ImagePosterior& posterior, const ImageSample& noise);
ImageSample standard_normals(const ImagePosterior& posterior, Rng& rng);

// z_c v for each weight that reads channel c.
std::vector<float> scaled_weights(const ImageArchitecture& architecture, const Gates& gates,
                                  std::span<const float> weights, std::span<const float> scales);

// A network without scales and with the same outputs: what a channel passes on by convolutions is scaled in their
// filters. What it passes on unchanged by a shortcut is scaled by making the whole unit above larger or smaller: a unit
// whose norms are multiplied by c > 0 gives c times its output. All scales must be positive.
ImageState folded(const ImageArchitecture& architecture, const Gates& gates, const NormState& norm,
                  std::span<const float> weights, std::span<const float> scales);

// A draw from q for the kept channels, with its scales folded in. Scales are drawn until they are positive. Running
// statistics are not those of the draw.
ImageState draw_network(const ImageArchitecture& architecture, const ImagePosterior& posterior, const Gates& kept,
                        Rng& rng);

// Minus the lower bound over the number of training images, estimated on a batch with one sample of q.
class ImageBound {
 public:
  ImageBound(const ImageArchitecture& architecture, ConvEngine& engine)
      : architecture_(&architecture), network_(architecture, engine) {}

  struct Gradient {
    std::vector<float> mean, log_variance, scale_mean, scale_log_variance, norm_scale, norm_shift;
  };
  struct Value {
    double loss = 0;           // all of it
    double cross_entropy = 0;  // the mean over the batch
  };
  Value evaluate(const ImagePosterior& posterior, const ImageSample& noise, const ImageRows& rows, double images,
                 Gradient& gradient);
  const ImageNetwork& network() const { return network_; }

 private:
  double add_divergence(const ImagePosterior& posterior, double images, Gradient& gradient) const;

  const ImageArchitecture* architecture_;
  ImageNetwork network_;
  std::vector<float> weights_, by_weight_, d_logits_;
};

}  // namespace mbnn
