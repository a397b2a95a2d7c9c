// Small random images, networks and masks for the tests of convolutional networks.
#pragma once

#include <vector>

#include "mbnn/core/rng.h"
#include "mbnn/net/conv/filters.h"
#include "mbnn/net/conv/network.h"
#include "tests/support/conv_reference.h"

namespace mbnn {

struct SmallImages {
  std::size_t count;
  std::vector<float> pixels;
  std::vector<std::int32_t> labels;

  SmallImages(const ImageArchitecture& architecture, std::size_t n, Rng& rng);
};

// Weights of the size that keeps signals alive; norms away from their defaults.
std::vector<float> random_weights(const ImageArchitecture& architecture, const Gates& gates, Rng& rng);
NormState random_norm(const ImageArchitecture& architecture, Rng& rng);

// A mask with about this share of the channels, at least one a gate, in random order.
Gates random_gates(const ImageArchitecture& architecture, double share, Rng& rng);

std::vector<std::vector<double>> open_gates(const Gates& gates);
reference::Norms<double> in_double(const NormState& norm);

double log_likelihood(const std::vector<double>& logits, const std::vector<std::int32_t>& labels);
// The derivative of that by the logits.
std::vector<float> d_log_likelihood(std::span<const float> logits, const std::vector<std::int32_t>& labels);

}  // namespace mbnn
