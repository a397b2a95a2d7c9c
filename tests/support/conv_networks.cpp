#include "tests/support/conv_networks.h"

#include <cmath>

namespace mbnn {

SmallImages::SmallImages(const ImageArchitecture& architecture, std::size_t n, Rng& rng) : count(n) {
  for (std::size_t i = 0; i < n * architecture.channels * architecture.pixels(0); ++i)
    pixels.push_back(static_cast<float>(rng.normal()));
  for (std::size_t i = 0; i < n; ++i) labels.push_back(static_cast<std::int32_t>(rng.below(architecture.classes)));
}

std::vector<float> random_weights(const ImageArchitecture& architecture, const Gates& gates, Rng& rng) {
  const ImageShape shape(architecture, gates);
  std::vector<float> weights(shape.size);
  for (float& w : weights) w = static_cast<float>(0.5 * rng.normal());
  return weights;
}

NormState random_norm(const ImageArchitecture& architecture, Rng& rng) {
  NormState norm(architecture.norm_slots());
  for (std::size_t s = 0; s < norm.scale.size(); ++s) {
    norm.scale[s] = static_cast<float>(std::exp(0.3 * rng.normal()));
    norm.shift[s] = static_cast<float>(0.3 * rng.normal());
    norm.mean[s] = static_cast<float>(0.3 * rng.normal());
    norm.variance[s] = static_cast<float>(std::exp(0.3 * rng.normal()));
  }
  return norm;
}

Gates random_gates(const ImageArchitecture& architecture, double share, Rng& rng) {
  Gates gates;
  for (const ImageUnit& unit : architecture.units) {
    auto& active = gates.active.emplace_back();
    const auto width = std::max<std::size_t>(1, static_cast<std::size_t>(share * static_cast<double>(unit.cap)));
    while (active.size() < width) active.push_back(draw_inactive(active, unit.cap, rng));
  }
  return gates;
}

std::vector<std::vector<double>> open_gates(const Gates& gates) {
  std::vector<std::vector<double>> values;
  for (const auto& active : gates.active) values.emplace_back(active.size(), 1.0);
  return values;
}

reference::Norms<double> in_double(const NormState& norm) {
  const auto widen = [](const std::vector<float>& v) { return std::vector<double>(v.begin(), v.end()); };
  return {widen(norm.scale), widen(norm.shift), widen(norm.mean), widen(norm.variance)};
}

double log_likelihood(const std::vector<double>& logits, const std::vector<std::int32_t>& labels) {
  const std::size_t classes = logits.size() / labels.size();
  double total = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < classes; ++k) sum += std::exp(logits[i * classes + k]);
    total += logits[i * classes + static_cast<std::size_t>(labels[i])] - std::log(sum);
  }
  return total;
}

std::vector<float> d_log_likelihood(std::span<const float> logits, const std::vector<std::int32_t>& labels) {
  const std::size_t classes = logits.size() / labels.size();
  std::vector<float> d(logits.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < classes; ++k) sum += std::exp(static_cast<double>(logits[i * classes + k]));
    for (std::size_t k = 0; k < classes; ++k)
      d[i * classes + k] = static_cast<float>((k == static_cast<std::size_t>(labels[i])) -
                                              std::exp(static_cast<double>(logits[i * classes + k])) / sum);
  }
  return d;
}

}  // namespace mbnn
