// Which channels a network can spare: norms of their filters, ranks over all gates, random masks of the lowest ones.
#pragma once

#include <vector>

#include "mbnn/core/rng.h"
#include "mbnn/images/model.h"

namespace mbnn {

using ChannelValues = std::vector<std::vector<double>>;  // by gate and position

// Sums of squares of each channel's incoming filters, its projection's included.
ChannelValues filter_squares(const ImageArchitecture& architecture, const Gates& gates, std::span<const float> weights);

// Channels leave in the order of their scores, over all gates, until the multiply-adds are at most `share` of those of
// the initial network. Of each gate least_channels stay; if that is still too much, nothing more leaves.
Gates pruned_by_rank(const ImageArchitecture& architecture, const Gates& gates, const ChannelValues& scores,
                     double share);

// The same network without the other channels; edges keep their weights, channels their norms.
ImageState without_others(const ImageArchitecture& architecture, const ImageState& state, const Gates& kept);

// Targeted dropout (Gomez et al. 2019) of channels: of each gate the `share` with the smallest filters, rounded down,
// are candidates, and each of them leaves with this probability. One channel always stays.
Gates targeted_mask(const ImageArchitecture& architecture, const ImageState& state, double share, double probability,
                    Rng& rng);

}  // namespace mbnn
