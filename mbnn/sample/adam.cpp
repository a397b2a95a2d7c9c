#include "mbnn/sample/adam.h"

#include <cmath>
#include <numbers>

#include "mbnn/core/error.h"

namespace mbnn {

void AdamMemory::write(ByteWriter& out) const {
  out.put_all(mean);
  out.put_all(square);
}

AdamMemory AdamMemory::read(ByteReader& in) {
  AdamMemory memory;
  memory.mean = in.get_all<float>();
  memory.square = in.get_all<float>();
  return memory;
}

void adam_move(const AdamMove& move, std::span<const float> gradient, std::span<float> values, AdamMemory& memory) {
  if (memory.mean.empty()) {
    memory.mean.assign(values.size(), 0.0f);
    memory.square.assign(values.size(), 0.0f);
  }
  if (memory.mean.size() != values.size() || memory.square.size() != values.size())
    throw Error("the memory of Adam is not that of these values");
  const auto t = static_cast<double>(move.step);
  const auto rate = static_cast<float>(move.rate / (1 - std::pow(0.9, t)));
  const auto correction = static_cast<float>(1 / (1 - std::pow(0.999, t)));
  float *mean = memory.mean.data(), *square = memory.square.data(), *value = values.data();
  const float* by = gradient.data();
  const auto count = static_cast<std::ptrdiff_t>(values.size());
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const float g = by[i];
    mean[i] += 0.1f * (g - mean[i]);
    square[i] += 0.001f * (g * g - square[i]);
    value[i] -= rate * mean[i] / (std::sqrt(square[i] * correction) + 1e-8f);
  }
}

double cosine_rate(double rate, double progress) {
  constexpr double least = 0.01;
  return rate * (least + (1 - least) * 0.5 * (1 + std::cos(std::numbers::pi * progress)));
}

}  // namespace mbnn
