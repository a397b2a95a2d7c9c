#include "tests/support/image_patterns.h"

namespace mbnn {

ImageModel small_model(ImageArchitecture architecture) {
  ImageModel model{std::move(architecture), {.scale = 0.1}, {.lambda = 0.05}};
  model.width_prior.rows = 600;
  return model;
}

PatternBatch::PatternBatch(const ImageArchitecture& a, std::size_t count, std::uint64_t seed) {
  Rng rng(seed, 5);
  for (std::size_t i = 0; i < count; ++i) {
    const auto label = rng.below(4);
    labels.push_back(static_cast<std::int32_t>(label));
    for (std::size_t p = 0; p < a.channels * a.height * a.width; ++p) {
      const std::size_t row = p / a.width % a.height, column = p % a.width;
      const std::size_t stripe = ((label & 1 ? row : 0) + (label & 2 ? column : 0)) % 2;
      pixels.push_back(static_cast<float>(0.5 * rng.normal() + static_cast<double>(stripe)));
    }
  }
}

}  // namespace mbnn
