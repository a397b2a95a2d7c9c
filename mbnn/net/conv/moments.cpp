// Products of the channels of a unit, for the regression of one channel on the others.
#include <algorithm>

#include "mbnn/core/error.h"
#include "mbnn/net/conv/network.h"

namespace mbnn {

namespace {

// Products of the channels of two blocks of a plane, summed over its pixels and added to `sums`, [lane][lane].
template <std::size_t lanes>
void add_products(const float* a, const float* b, std::size_t pixels, double* sums) {
  float products[lanes * lanes] = {};
  for (std::size_t p = 0; p < pixels; ++p)
    for (std::size_t i = 0; i < lanes; ++i)
      for (std::size_t j = 0; j < lanes; ++j) products[i * lanes + j] += a[p * lanes + i] * b[p * lanes + j];
  for (std::size_t i = 0; i < lanes * lanes; ++i) sums[i] += static_cast<double>(products[i]);
}

}  // namespace

std::vector<double> ImageNetwork::product_means(std::size_t u, std::size_t channel) const {
  const std::size_t lanes = engine_->lanes(), size = plane(u), count = blocks(u), width = shape_.widths[u];
  const std::size_t own_block = channel / lanes, own_lane = channel % lanes;
  const double weight = 1 / static_cast<double>(images_ * size / lanes);
  const float* h = output(u);
  std::vector<double> result(width + 1);
  std::vector<float> sums(lanes);
  for (std::size_t image = 0; image < images_; ++image) {
    const float* own = h + (image * count + own_block) * size + own_lane;
    float within = 0;
    for (std::size_t p = 0; p < size; p += lanes) within += own[p];
    result[width] += weight * static_cast<double>(within);
    for (std::size_t b = 0; b < count; ++b) {
      const float* other = h + (image * count + b) * size;
      std::fill(sums.begin(), sums.end(), 0.0f);
      for (std::size_t p = 0; p < size; p += lanes)
        for (std::size_t i = 0; i < lanes; ++i) sums[i] += own[p] * other[p + i];
      for (std::size_t i = b * lanes; i < std::min(width, (b + 1) * lanes); ++i)
        result[i] += weight * static_cast<double>(sums[i - b * lanes]);
    }
  }
  return result;
}

std::vector<double> ImageNetwork::product_means(std::size_t u) const {
  const std::size_t lanes = engine_->lanes(), size = plane(u), count = blocks(u), width = shape_.widths[u];
  if (lanes != 8 && lanes != 16) throw Error("channels come in blocks of 8 or 16");
  const std::size_t pixels = size / lanes, order = width + 1;
  const double weight = 1 / static_cast<double>(images_ * pixels);
  const float* h = output(u);
  std::vector<double> result(order * order);
  result[order * order - 1] = 1;
  const auto rows = static_cast<std::ptrdiff_t>(count);
  // Each thread writes the entries of its own rows of blocks, so the bits do not depend on their number.
#pragma omp parallel for schedule(dynamic)
  for (std::ptrdiff_t row = 0; row < rows; ++row) {
    const auto a = static_cast<std::size_t>(row);
    std::vector<double> sums(lanes * lanes);
    for (std::size_t b = 0; b <= a; ++b) {
      std::fill(sums.begin(), sums.end(), 0.0);
      for (std::size_t image = 0; image < images_; ++image) {
        const float *x = h + (image * count + a) * size, *y = h + (image * count + b) * size;
        if (lanes == 8)
          add_products<8>(x, y, pixels, sums.data());
        else
          add_products<16>(x, y, pixels, sums.data());
      }
      for (std::size_t i = a * lanes; i < std::min(width, (a + 1) * lanes); ++i)
        for (std::size_t j = b * lanes; j < std::min(width, (b + 1) * lanes); ++j)
          result[i * order + j] = result[j * order + i] = weight * sums[(i - a * lanes) * lanes + j - b * lanes];
    }
    for (std::size_t i = a * lanes; i < std::min(width, (a + 1) * lanes); ++i) {
      double sum = 0;
      for (std::size_t image = 0; image < images_; ++image) {
        const float* x = h + (image * count + a) * size + i - a * lanes;
        float within = 0;
        for (std::size_t p = 0; p < pixels; ++p) within += x[p * lanes];
        sum += static_cast<double>(within);
      }
      result[i * order + width] = result[width * order + i] = weight * sum;
    }
  }
  return result;
}

}  // namespace mbnn
