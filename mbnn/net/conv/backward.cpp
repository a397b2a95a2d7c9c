// The backward pass of image_network.h: from the logits down, unit by unit.
#include <omp.h>

#include <algorithm>

#include "mbnn/core/error.h"
#include "mbnn/net/conv/network.h"

namespace mbnn {

namespace {

AlignedFloats take(std::vector<AlignedFloats>& spare) {
  if (spare.empty()) return {};
  AlignedFloats buffer = std::move(spare.back());
  spare.pop_back();
  return buffer;
}

}  // namespace

void ImageNetwork::backward(std::span<const float> d_logits, const Gradients& gradients) {
  if (keep_ == Keep::outputs) throw Error("a network that keeps outputs alone has no way back");
  engine_->activate();
  for (auto* by_slot : {gradients.scale, gradients.shift})
    if (by_slot) by_slot->assign(architecture_->norm_slots(), 0.0f);
  std::vector<std::vector<double>> gates(architecture_->gates());
  affine_backward(d_logits, gradients);
  for (std::size_t u = architecture_->gates(); u >= 1; --u) {
    Sums sums = backward_sums(u);
    const bool wanted = !gradients.weights.empty();
    if (architecture_->unit(u).projected) {
      AlignedFloats d_z = take(spare_), d_x = take(spare_);
      norm_backward(u, Part::projection, sums, gradients, d_z);
      conv_backward(u, Part::projection, d_z, gradients, &d_x);
      extra_[architecture_->unit(u).shortcut - 1] = std::move(d_x);
      spare_.push_back(std::move(d_z));
    }
    norm_backward(u, Part::main, sums, gradients, d_z_);
    if (architecture_->unit(u).shortcut > 0 && !architecture_->unit(u).projected) shortcut_backward(u);
    gates[u - 1] = std::move(sums.gate);
    if (u > 1)
      conv_backward(u, Part::main, d_z_, gradients, &d_);
    else if (wanted)
      conv_backward(u, Part::main, d_z_, gradients, nullptr);
  }
  if (!gradients.gates) return;
  gradients.gates->clear();
  for (std::size_t u = 1; u <= architecture_->gates(); ++u)
    gradients.gates->insert(gradients.gates->end(), gates[u - 1].begin(),
                            gates[u - 1].begin() + static_cast<std::ptrdiff_t>(shape_.widths[u]));
}

void ImageNetwork::affine_backward(std::span<const float> d_logits, const Gradients& gradients) {
  const std::size_t last = architecture_->last(), width = shape_.widths[last], lanes = engine_->lanes();
  const std::size_t size = plane(last), per_image = blocks(last), classes = architecture_->classes;
  const float* w = setting_.weights.data() + shape_.affine.offset;
  if (!gradients.weights.empty()) {
    float *d_w = gradients.weights.data() + shape_.affine.offset, *d_b = gradients.weights.data() + shape_.biases;
    std::fill_n(d_w, classes * width, 0.0f);
    std::fill_n(d_b, classes, 0.0f);
    for (std::size_t i = 0; i < images_; ++i)
      for (std::size_t k = 0; k < classes; ++k) {
        const float d = d_logits[i * classes + k];
        d_b[k] += d;
        for (std::size_t c = 0; c < width; ++c) d_w[k * width + c] += d * features_[i * width + c];
      }
  }
  float* d = room(d_, tensor_size(last));
  const float each = static_cast<float>(lanes) / static_cast<float>(size);
  const auto count = static_cast<std::ptrdiff_t>(planes(last));
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t p = 0; p < count; ++p) {
    const auto i = static_cast<std::size_t>(p);
    const std::size_t image = i / per_image, first = i % per_image * lanes;
    for (std::size_t l = 0; l < lanes; ++l) {
      float sum = 0;
      if (first + l < width)
        for (std::size_t k = 0; k < classes; ++k) sum += d_logits[image * classes + k] * w[k * width + first + l];
      for (std::size_t q = l; q < size; q += lanes) d[i * size + q] = sum * each;
    }
  }
}

// Leaves in d_ the derivative by what the ReLU reads.
ImageNetwork::Sums ImageNetwork::backward_sums(std::size_t u) {
  const Unit& y = unit(u);
  const bool projected = architecture_->unit(u).projected;
  const std::size_t lanes = engine_->lanes(), size = plane(u), per_image = blocks(u), filled = per_image * lanes;
  const auto count = static_cast<std::ptrdiff_t>(planes(u));
  const std::size_t each = static_cast<std::size_t>(count) * lanes;
  std::vector<float> parts(4 * each, 0.0f);
  const float* extra = extra_[u - 1].empty() ? nullptr : extra_[u - 1].data();
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t p = 0; p < count; ++p) {
    const auto i = static_cast<std::size_t>(p);
    const std::size_t c = i % per_image * lanes;
    float* part = parts.data() + i * lanes;
    norm_kernels().backward_sums(d_.data() + i * size, extra ? extra + i * size : nullptr, y.h.data() + i * size,
                                 y.main.z.data() + i * size, y.main.mean.data() + c,
                                 projected ? y.projection.z.data() + i * size : nullptr,
                                 projected ? y.projection.mean.data() + c : nullptr,
                                 {part, part + each, part + 2 * each, part + 3 * each}, size / lanes, lanes);
  }
  if (extra) spare_.push_back(std::move(extra_[u - 1]));
  extra_[u - 1].clear();
  Sums sums;
  std::vector<double>* totals[] = {&sums.d, &sums.d_z, &sums.d_z_2, &sums.gate};
  for (std::size_t kind = 0; kind < 4; ++kind) {
    totals[kind]->assign(filled, 0.0);
    for (std::size_t image = 0; image < images_; ++image)
      for (std::size_t c = 0; c < filled; ++c) (*totals[kind])[c] += parts[kind * each + image * filled + c];
  }
  return sums;
}

void ImageNetwork::norm_backward(std::size_t u, Part part, const Sums& sums, const Gradients& gradients,
                                 AlignedFloats& d_z) {
  const Channels& c = part == Part::main ? unit(u).main : unit(u).projection;
  const std::vector<double>& sum_d_z = part == Part::main ? sums.d_z : sums.d_z_2;
  const std::size_t lanes = engine_->lanes(), size = plane(u), per_image = blocks(u), filled = per_image * lanes;
  const double n = static_cast<double>(images_ * architecture_->pixels(u));
  std::vector<float> by_d(filled, 0), by_z(filled, 0), constant(filled, 0);
  for (std::size_t j = 0; j < shape_.widths[u]; ++j) {
    const std::size_t s = slot(u, part) + setting_.gates->active[u - 1][j];
    const double inverse = c.inverse_deviation[j], a = setting_.norm->scale[s] * inverse;
    const double b = -a * inverse * inverse * sum_d_z[j] / n;
    by_d[j] = static_cast<float>(a);
    by_z[j] = static_cast<float>(b);
    constant[j] = static_cast<float>(-a * sums.d[j] / n - b * c.mean[j]);
    if (gradients.scale) (*gradients.scale)[s] = static_cast<float>(sum_d_z[j] * inverse);
    if (gradients.shift) (*gradients.shift)[s] = static_cast<float>(sums.d[j]);
  }
  float* to = room(d_z, tensor_size(u));
  const auto count = static_cast<std::ptrdiff_t>(planes(u));
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t p = 0; p < count; ++p) {
    const auto i = static_cast<std::size_t>(p);
    const std::size_t k = i % per_image * lanes;
    norm_kernels().backward(d_.data() + i * size, c.z.data() + i * size, by_d.data() + k, by_z.data() + k,
                            constant.data() + k, to + i * size, size / lanes, lanes);
  }
}

void ImageNetwork::conv_backward(std::size_t u, Part part, const AlignedFloats& d_z, const Gradients& gradients,
                                 AlignedFloats* d_x) {
  const ConvShape shape = conv_shape(u, part);
  const std::size_t from = part == Part::main ? u - 1 : architecture_->unit(u).shortcut, offset = block(u, part).offset;
  if (!gradients.weights.empty())
    engine_->backward_filters(shape, output(from), d_z.data(), gradients.weights.data() + offset);
  if (d_x) engine_->backward_input(shape, d_z.data(), setting_.weights.data() + offset, room(*d_x, tensor_size(from)));
}

// d_ goes to the shortcut's tensor, channel by channel where both are active.
void ImageNetwork::shortcut_backward(std::size_t u) {
  const Unit& y = unit(u);
  const std::size_t t = architecture_->unit(u).shortcut;
  AlignedFloats& extra = extra_[t - 1];
  extra = take(spare_);
  if (y.aligned) {
    std::swap(extra, d_);
    return;
  }
  const std::size_t lanes = engine_->lanes(), size = plane(u), from_blocks = blocks(u), to_blocks = blocks(t);
  std::vector<std::int32_t> sum_of(to_blocks * lanes, -1);  // for each channel of t: its place in the sum
  for (std::size_t j = 0; j < y.shortcut_of.size(); ++j)
    if (y.shortcut_of[j] >= 0) sum_of[static_cast<std::size_t>(y.shortcut_of[j])] = static_cast<std::int32_t>(j);
  float* to = room(extra, tensor_size(t));
  const auto count = static_cast<std::ptrdiff_t>(planes(t));
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t p = 0; p < count; ++p) {
    const auto i = static_cast<std::size_t>(p);
    const std::size_t image = i / to_blocks, c = i % to_blocks * lanes;
    for (std::size_t l = 0; l < lanes; ++l) {
      const std::int32_t source = sum_of[c + l];
      if (source < 0) {
        for (std::size_t q = l; q < size; q += lanes) to[i * size + q] = 0;
        continue;
      }
      const auto j = static_cast<std::size_t>(source);
      const float* from = d_.data() + (image * from_blocks + j / lanes) * size + j % lanes;
      for (std::size_t q = 0; q < size; q += lanes) to[i * size + q + l] = y.shortcut_weight[j] * from[q];
    }
  }
}

}  // namespace mbnn
