// Adam (Kingma and Ba 2015): moves of many values by running means of their gradients.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mbnn/core/bytes.h"
#include "mbnn/core/finite.h"

namespace mbnn {

struct AdamMove {
  double rate = 1e-3;
  std::int64_t step = 1;  // counted from 1
};

// Running means of the gradient (0.9) and of its square (0.999); as long as the values, or empty before the first step.
template <class Real>
struct BasicAdamMemory {
  std::vector<Real> mean, square;

  void write(ByteWriter& out) const {
    out.put_all(mean);
    out.put_all(square);
  }
  static BasicAdamMemory read(ByteReader& in) {
    BasicAdamMemory memory;
    memory.mean = in.get_all<Real>();
    memory.square = in.get_all<Real>();
    require_content(memory.mean.size() == memory.square.size() && all_finite(memory.mean) && all_finite(memory.square),
                    "the running means of a training are not finite, or of two lengths");
    return memory;
  }
};
using AdamMemory = BasicAdamMemory<float>;

// Downhill, on all threads, with the same bits for any number of them: `gradient` is that of a loss.
void adam_move(const AdamMove& move, std::span<const float> gradient, std::span<float> values, AdamMemory& memory);

// Uphill, on the caller's thread, by `scale` times `gradient`, that of a log density. The scale matters to the means
// alone: Adam's steps do not depend on it but for the small constant beside the root. Real, float or double, is the
// arithmetic.
template <class Real>
void adam_climb(const AdamMove& move, std::span<const float> gradient, Real scale, std::span<float> values,
                BasicAdamMemory<Real>& memory);

// From `rate` down to a hundredth of it, along a cosine, as progress goes from 0 to 1.
double cosine_rate(double rate, double progress);

}  // namespace mbnn
