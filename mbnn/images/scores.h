// What the networks of an image fit are worth: scores on labelled images, and what they cost beside the network that
// they started from.
#pragma once

#include <span>

#include "mbnn/images/predictor.h"
#include "mbnn/judge/calibration_error.h"
#include "mbnn/judge/metrics.h"

namespace mbnn {

// Of the mean of the networks' probabilities.
struct ImageScores {
  ClassificationMetrics metrics;
  MarginalCalibration marginal;
};
ImageScores score_images(std::span<const CompactNetwork> networks, const ImageSet& images, std::size_t threads);

// Means over the networks, and the same of the dense network. Seconds are measured on a batch of random images.
struct ImageSavings {
  double flops_percent = 0, capacity_percent = 0;
  double channels = 0, dense_channels = 0;
  double bytes = 0, dense_bytes = 0;
  double seconds = 0, dense_seconds = 0;
};
ImageSavings measure_savings(std::span<const CompactNetwork> networks, std::size_t batch, std::size_t threads);

}  // namespace mbnn
