// How an image fit is made: by the chain over masked networks, or by one of the methods that it is compared with.
#pragma once

#include <array>
#include <cstdint>

#include "mbnn/net/conv/architecture.h"

namespace mbnn {

enum class ImageMethod { mbnn, ensemble, ns_ens, ns_mc, ns_vi };
constexpr auto enum_names(ImageMethod) { return std::array{"mbnn", "ensemble", "ns-ens", "ns-mc", "ns-vi"}; }

// What the methods other than the chain are trained with (mbnn/baselines). The number of networks, the batches and the
// seed are those of ImageChainOptions.
struct ImageBaselineOptions {
  double learning_rate = 0;  // of Adam at the start; 0: see learning_rate_for
  double weight_decay = 5e-4;
  std::int64_t norm_batches = 50;  // ns-mc, ns-vi: that settle the norms of a network before it is kept

  // ns-ens. The publication's search is population 64, tournament 16, candidates 400, each tuned for 200 batches.
  double flops = 0.25;  // multiply-adds that pruning leaves, as a share
  std::size_t population = 16, tournament = 4, candidates = 48;
  std::int64_t tuning_batches = 10;

  double drop_probability = 0.9, drop_share = 0.4;  // ns-mc

  double variational_rate = 1e-4;  // ns-vi: of means and norms
  double scale_rate = 0;           // of scales and log variances; 0: see scale_rate_for
  double prune_above = -3;         // channels whose scale has a log dropout rate above it go

  // Adam's usual 0.001, which ten epochs of a plain network of few layers are too short for: five times that.
  double learning_rate_for(const ImageArchitecture& architecture) const;
  // The paper's run has 100,000 steps of 1e-4, which let a log variance travel 10. A shorter one takes longer steps.
  double scale_rate_for(std::int64_t steps) const;

  // Throws InputError for what the method cannot do with this network and so many epochs.
  void check(ImageMethod method, const ImageArchitecture& architecture, std::int64_t training_epochs) const;
};

// Images on which ns-ens judges the candidates of its search: a tenth, and 1000 are enough. 0 for the other methods.
std::size_t held_back_images(ImageMethod method, std::size_t images);

// The least that pruning by rank leaves of a gate: a tenth of its channels, as the authors of LeGR run it, and one.
std::size_t least_channels(std::size_t width);
// Multiply-adds of the network with the fewest channels that pruning by rank may leave, over those of the start.
double least_flops(const ImageArchitecture& architecture);

}  // namespace mbnn
