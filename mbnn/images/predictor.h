// Predictions of compact networks on images: class probabilities, averaged over draws.
#pragma once

#include <functional>
#include <vector>

#include "mbnn/images/network_file.h"

namespace mbnn {

// Whether they are of one architecture with one scaling of pixels.
bool may_be_averaged(const CompactNetwork& a, const CompactNetwork& b);

class ImagePredictor {
 public:
  // Each pair of networks must be one that may be averaged; they must outlive this.
  ImagePredictor(std::span<const CompactNetwork> networks, std::size_t threads);

  std::size_t classes() const { return networks_.front().architecture.classes; }
  // [image][class] of images that are scaled already.
  std::vector<double> probabilities(std::span<const float> pixels, std::size_t images);
  // visit(image, probabilities) for all images of a set, in their order.
  void for_each_image(const ImageSet& images,
                      const std::function<void(std::size_t image, std::span<const double> probabilities)>& visit);

 private:
  std::span<const CompactNetwork> networks_;
  ConvEngine engine_;
  ImageNetwork network_;
};

// All channels of the start with random weights: what latency and size of a compact network are compared with.
CompactNetwork dense_counterpart(const CompactNetwork& network);

// Seconds that `images` random images take, the least of `repeats` passes after a first one.
double prediction_seconds(const CompactNetwork& network, std::size_t images, std::size_t repeats, std::size_t threads);

}  // namespace mbnn
