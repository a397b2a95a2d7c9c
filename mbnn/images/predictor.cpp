#include "mbnn/images/predictor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mbnn/core/clock.h"
#include "mbnn/core/error.h"
#include "mbnn/images/loader.h"

namespace mbnn {

namespace {

constexpr std::size_t kBatch = 100;

}  // namespace

bool may_be_averaged(const CompactNetwork& a, const CompactNetwork& b) {
  return a.architecture == b.architecture && a.scaling.mean == b.scaling.mean && a.scaling.sd == b.scaling.sd;
}

ImagePredictor::ImagePredictor(std::span<const CompactNetwork> networks, std::size_t threads)
    : networks_(networks.empty() ? throw InputError("there is no network to predict with") : networks),
      engine_(threads),
      network_(networks.front().architecture, engine_) {
  network_.keep(ImageNetwork::Keep::outputs);
  for (const CompactNetwork& other : networks)
    if (!may_be_averaged(networks.front(), other))
      throw InputError("the networks differ in architecture or scaling: their predictions cannot be averaged");
}

std::vector<double> ImagePredictor::probabilities(std::span<const float> pixels, std::size_t images) {
  const std::size_t image_size = networks_.front().architecture.channels * networks_.front().architecture.pixels(0);
  require(images >= 1, "images", images, "must be at least 1");
  require(pixels.size() % image_size == 0 && pixels.size() / image_size == images, "pixels", pixels.size(),
          fmt::format("must be {} for each of the {} images", image_size, images));
  std::vector<double> result(images * classes(), 0.0);
  for (const CompactNetwork& compact : networks_) {
    network_.set({&compact.state.gates, compact.state.weights, &compact.state.norm});
    network_.forward(pixels, images, ImageNetwork::Norm::running);
    for (std::size_t i = 0; i < images; ++i) {
      const auto row = network_.logits().subspan(i * classes(), classes());
      const double top = *std::max_element(row.begin(), row.end());
      double total = 0;
      for (float z : row) total += std::exp(z - top);
      for (std::size_t k = 0; k < classes(); ++k)
        result[i * classes() + k] += std::exp(row[k] - top) / total / static_cast<double>(networks_.size());
    }
  }
  return result;
}

void ImagePredictor::for_each_image(const ImageSet& images,
                                    const std::function<void(std::size_t, std::span<const double>)>& visit) {
  const auto& a = networks_.front().architecture;
  if (images.channels != a.channels || images.height != a.height || images.width != a.width)
    throw InputError(fmt::format("the images are {} x {} x {}, but the network reads {} x {} x {}", images.channels,
                                 images.height, images.width, a.channels, a.height, a.width));
  if (images.classes > a.classes)
    throw InputError(fmt::format("the images have {} classes, but the network knows {}", images.classes, a.classes));
  ImageBatch batch;
  for (std::size_t first = 0; first < images.count; first += kBatch) {
    const std::size_t count = std::min(kBatch, images.count - first);
    gather_images(images, networks_.front().scaling, first, count, batch);
    const auto p = probabilities(batch.pixels, count);
    for (std::size_t i = 0; i < count; ++i) visit(first + i, std::span(p).subspan(i * classes(), classes()));
  }
}

CompactNetwork dense_counterpart(const CompactNetwork& network) {
  Rng rng(1);
  return {network.architecture, network.scaling, initial_state({network.architecture}, rng)};
}

double prediction_seconds(const CompactNetwork& network, std::size_t images, std::size_t repeats, std::size_t threads) {
  Rng rng(1);
  std::vector<float> pixels(images * network.architecture.channels * network.architecture.pixels(0));
  for (float& p : pixels) p = static_cast<float>(rng.normal());
  ImagePredictor predictor({&network, 1}, threads);
  predictor.probabilities(pixels, images);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < repeats; ++i) {
    const Stopwatch watch;
    predictor.probabilities(pixels, images);
    least = std::min(least, watch.seconds());
  }
  return least;
}

}  // namespace mbnn
