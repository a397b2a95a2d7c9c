#include "mbnn/images/scores.h"

#include "mbnn/core/error.h"

namespace mbnn {

ImageScores score_images(std::span<const CompactNetwork> networks, const ImageSet& images, std::size_t threads) {
  if (images.labels.size() < images.count) throw InputError("the images have no labels to score against");
  ImagePredictor predictor(networks, threads);
  ClassificationAccumulator scores;
  MarginalCalibrationError marginal;
  predictor.for_each_image(images, [&](std::size_t i, std::span<const double> p) {
    scores.add(images.labels[i], p);
    marginal.add(images.labels[i], p);
  });
  return {scores.result(), marginal.result()};
}

ImageSavings measure_savings(std::span<const CompactNetwork> networks, std::size_t batch, std::size_t threads) {
  constexpr std::size_t repeats = 3;
  const ImageArchitecture& architecture = networks.front().architecture;
  const ImageCost dense = image_cost(architecture, architecture.initial_gates());
  const CompactNetwork whole = dense_counterpart(networks.front());
  ImageSavings s;
  const auto share = 1 / static_cast<double>(networks.size());
  const auto percent = [&](std::uint64_t part, std::uint64_t all) {
    return 100 * share * static_cast<double>(part) / static_cast<double>(all);
  };
  for (const CompactNetwork& network : networks) {
    const ImageCost cost = image_cost(architecture, network.state.gates);
    s.flops_percent += percent(cost.multiply_adds, dense.multiply_adds);
    s.capacity_percent += percent(cost.parameters, dense.parameters);
    s.channels += share * static_cast<double>(active_nodes(network.state.gates).size());
    s.bytes += share * static_cast<double>(to_bytes(network).size());
    s.seconds += share * prediction_seconds(network, batch, repeats, threads);
  }
  s.dense_channels = static_cast<double>(active_nodes(architecture.initial_gates()).size());
  s.dense_bytes = static_cast<double>(to_bytes(whole).size());
  s.dense_seconds = prediction_seconds(whole, batch, repeats, threads);
  return s;
}

}  // namespace mbnn
