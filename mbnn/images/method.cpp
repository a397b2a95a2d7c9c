#include "mbnn/images/method.h"

#include <algorithm>

namespace mbnn {

std::size_t held_back_images(ImageMethod method, std::size_t images) {
  return method == ImageMethod::ns_ens ? std::max<std::size_t>(1, std::min<std::size_t>(1000, images / 10)) : 0;
}

std::size_t least_channels(std::size_t width) { return std::max<std::size_t>(1, (width + 9) / 10); }

double least_flops(const ImageArchitecture& architecture) {
  const Gates whole = architecture.initial_gates();
  Gates least = whole;
  for (auto& active : least.active) active.resize(least_channels(active.size()));
  return static_cast<double>(image_cost(architecture, least).multiply_adds) /
         static_cast<double>(image_cost(architecture, whole).multiply_adds);
}

double ImageBaselineOptions::learning_rate_for(const ImageArchitecture& architecture) const {
  if (learning_rate > 0) return learning_rate;
  const bool residual =
      std::ranges::any_of(architecture.units, [](const ImageUnit& unit) { return unit.shortcut > 0; });
  return residual ? 0.001 : 0.005;
}

double ImageBaselineOptions::scale_rate_for(std::int64_t steps) const {
  return scale_rate > 0 ? scale_rate : std::max(1e-4, 10 / static_cast<double>(std::max<std::int64_t>(1, steps)));
}

}  // namespace mbnn
