// Adam (Kingma and Ba 2015) on many values at once, with the same bits for any number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mbnn/core/bytes.h"

namespace mbnn {

struct AdamMove {
  double rate = 1e-3;
  std::int64_t step = 1;  // counted from 1
};

// Running means of the gradient (0.9) and of its square (0.999); as long as the values, or empty before the first step.
struct AdamMemory {
  std::vector<float> mean, square;

  void write(ByteWriter& out) const;
  static AdamMemory read(ByteReader& in);
};

// Downhill: `gradient` is that of a loss.
void adam_move(const AdamMove& move, std::span<const float> gradient, std::span<float> values, AdamMemory& memory);

// From `rate` down to a hundredth of it, along a cosine, as progress goes from 0 to 1.
double cosine_rate(double rate, double progress);

}  // namespace mbnn
