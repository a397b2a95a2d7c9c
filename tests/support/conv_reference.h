// The masked convolutional network plainly, in any precision: every channel is computed and multiplied by its gate.
// What the compact network and its fast kernels are tested against.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "mbnn/net/conv/architecture.h"

namespace mbnn::reference {

// A tensor is [image][channel][row][column].
template <class Real>
struct Tensor {
  std::size_t images = 0, channels = 0, rows = 0, columns = 0;
  std::vector<Real> values;
  Tensor() = default;
  Tensor(std::size_t n, std::size_t c, std::size_t r, std::size_t k)
      : images(n), channels(c), rows(r), columns(k), values(n * c * r * k, Real(0)) {}
  std::size_t pixels() const { return rows * columns; }
  Real* plane(std::size_t image, std::size_t channel) {
    return values.data() + (image * channels + channel) * pixels();
  }
  const Real* plane(std::size_t image, std::size_t channel) const {
    return values.data() + (image * channels + channel) * pixels();
  }
};

// Filters are [out][in][row][column]; zeros of (kernel - 1) / 2 pixels surround the input.
template <class Real>
Tensor<Real> convolve(const Tensor<Real>& x, const Real* filters, std::size_t out, std::size_t kernel,
                      std::size_t stride) {
  Tensor<Real> z(x.images, out, (x.rows - 1) / stride + 1, (x.columns - 1) / stride + 1);
  const std::size_t pad = (kernel - 1) / 2;
  for (std::size_t n = 0; n < x.images; ++n)
    for (std::size_t o = 0; o < out; ++o)
      for (std::size_t r = 0; r < z.rows; ++r)
        for (std::size_t c = 0; c < z.columns; ++c) {
          Real sum = 0;
          for (std::size_t i = 0; i < x.channels; ++i)
            for (std::size_t a = 0; a < kernel; ++a)
              for (std::size_t b = 0; b < kernel; ++b) {
                const std::size_t row = r * stride + a, column = c * stride + b;  // counted from the padding's corner
                if (row < pad || column < pad || row - pad >= x.rows || column - pad >= x.columns) continue;
                sum += x.plane(n, i)[(row - pad) * x.columns + column - pad] *
                       filters[((o * x.channels + i) * kernel + a) * kernel + b];
              }
          z.plane(n, o)[r * z.columns + c] = sum;
        }
  return z;
}

template <class Real>
struct Norms {
  std::vector<Real> scale, shift, mean, variance;  // by slots
};

// z -> scale (z - mean) / sqrt(variance + epsilon) + shift, with the batch's own moments or the running ones.
template <class Real>
void normalise(Tensor<Real>& z, const Norms<Real>& norms, std::size_t first_slot,
               const std::vector<std::uint32_t>& numbers, bool running, Real epsilon) {
  const Real count = static_cast<Real>(z.images * z.pixels());
  for (std::size_t c = 0; c < z.channels; ++c) {
    const std::size_t slot = first_slot + numbers[c];
    Real mean = norms.mean[slot], variance = norms.variance[slot];
    if (!running) {
      mean = variance = 0;
      for (std::size_t n = 0; n < z.images; ++n)
        for (std::size_t p = 0; p < z.pixels(); ++p) mean += z.plane(n, c)[p] / count;
      for (std::size_t n = 0; n < z.images; ++n)
        for (std::size_t p = 0; p < z.pixels(); ++p)
          variance += (z.plane(n, c)[p] - mean) * (z.plane(n, c)[p] - mean) / count;
    }
    for (std::size_t n = 0; n < z.images; ++n)
      for (std::size_t p = 0; p < z.pixels(); ++p) {
        Real& v = z.plane(n, c)[p];
        v = norms.scale[slot] * (v - mean) / std::sqrt(variance + epsilon) + norms.shift[slot];
      }
  }
}

// The logits [image][class] of a network with the channels `gates`, of which gate[u - 1][position] multiplies the
// output of each: with all channels there and gates of 0 and 1 it is the paper's masked network.
template <class Real>
std::vector<Real> image_logits(const ImageArchitecture& architecture, const Gates& gates, std::span<const Real> weights,
                               const Norms<Real>& norms, const std::vector<std::vector<Real>>& gate,
                               std::span<const Real> pixels, std::size_t images, bool running = false,
                               Real epsilon = Real(1e-5)) {
  const ImageShape shape(architecture, gates);
  std::vector<Tensor<Real>> tensors{{images, architecture.channels, architecture.height, architecture.width}};
  tensors[0].values.assign(pixels.begin(), pixels.end());
  for (std::size_t u = 1; u <= architecture.gates(); ++u) {
    const ImageUnit& unit = architecture.unit(u);
    const auto& numbers = gates.active[u - 1];
    Tensor<Real> sum = convolve(tensors[u - 1], weights.data() + shape.filters[u - 1].offset, shape.widths[u],
                                unit.kernel, unit.stride);
    normalise(sum, norms, architecture.norm_slot(u), numbers, running, epsilon);
    if (unit.projected) {
      Tensor<Real> z = convolve(tensors[unit.shortcut], weights.data() + shape.projections[u - 1].offset,
                                shape.widths[u], 1, unit.shortcut_stride);
      normalise(z, norms, architecture.projection_slot(u), numbers, running, epsilon);
      for (std::size_t i = 0; i < z.values.size(); ++i) sum.values[i] += z.values[i];
    } else if (unit.shortcut > 0) {
      for (std::size_t j = 0; j < numbers.size(); ++j)
        for (std::size_t k = 0; k < gates.active[unit.shortcut - 1].size(); ++k)
          if (gates.active[unit.shortcut - 1][k] == numbers[j])
            for (std::size_t n = 0; n < images; ++n)
              for (std::size_t p = 0; p < sum.pixels(); ++p)
                sum.plane(n, j)[p] += tensors[unit.shortcut].plane(n, k)[p];
    }
    for (std::size_t n = 0; n < images; ++n)
      for (std::size_t j = 0; j < numbers.size(); ++j)
        for (std::size_t p = 0; p < sum.pixels(); ++p) {
          Real& v = sum.plane(n, j)[p];
          v = gate[u - 1][j] * (v > 0 ? v : Real(0));
        }
    tensors.push_back(std::move(sum));
  }
  const Tensor<Real>& last = tensors.back();
  std::vector<Real> logits;
  for (std::size_t n = 0; n < images; ++n)
    for (std::size_t k = 0; k < architecture.classes; ++k) {
      Real sum = weights[shape.biases + k];
      for (std::size_t c = 0; c < last.channels; ++c) {
        Real mean = 0;
        for (std::size_t p = 0; p < last.pixels(); ++p) mean += last.plane(n, c)[p] / static_cast<Real>(last.pixels());
        sum += weights[shape.affine.offset + k * last.channels + c] * mean;
      }
      logits.push_back(sum);
    }
  return logits;
}

}  // namespace mbnn::reference
