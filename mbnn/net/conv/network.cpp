#include "mbnn/net/conv/network.h"

#include <omp.h>

#include <algorithm>
#include <cmath>

namespace mbnn {

void ImageNetwork::set(const NetworkSetting& setting) {
  setting_ = setting;
  shape_ = ImageShape(*architecture_, *setting.gates);
  units_.resize(architecture_->gates());
  extra_.resize(architecture_->gates());
  for (std::size_t u = 1; u <= architecture_->gates(); ++u) link_shortcut(u);
}

void ImageNetwork::keep(Keep what) {
  if (keep_ == what) return;
  keep_ = what;
  passing_ = passing_projection_ = {};
  for (Unit& unit : units_) unit.main.z = unit.projection.z = {};
}

void ImageNetwork::link_shortcut(std::size_t u) {
  const ImageUnit& description = architecture_->unit(u);
  Unit& unit = units_[u - 1];
  unit.shortcut_of.clear();
  unit.aligned = false;
  if (description.shortcut == 0 || description.projected) return;
  const std::size_t t = description.shortcut, width = shape_.widths[u];
  unit.shortcut_of.assign(blocks(u) * engine_->lanes(), -1);
  unit.shortcut_weight.assign(unit.shortcut_of.size(), 1);
  const auto& active = setting_.gates->active;
  const auto pairs = shared_channels(active[u - 1], active[t - 1]);
  unit.aligned = width == shape_.widths[t] && pairs.size() == width;
  for (const ChannelPair& pair : pairs) {
    unit.shortcut_of[pair.out] = static_cast<std::int32_t>(pair.in);
    if (!setting_.shortcut_scales.empty()) unit.shortcut_weight[pair.out] = setting_.shortcut_scales[t - 1][pair.in];
    unit.aligned = unit.aligned && pair.out == pair.in && unit.shortcut_weight[pair.out] == 1;
  }
}

ConvShape ImageNetwork::conv_shape(std::size_t u, Part part) const {
  const ImageUnit& unit = architecture_->unit(u);
  const std::size_t from = part == Part::main ? u - 1 : unit.shortcut;
  return {images_,
          shape_.widths[from],
          shape_.widths[u],
          architecture_->rows(from),
          architecture_->columns(from),
          part == Part::main ? unit.kernel : 1,
          part == Part::main ? unit.stride : unit.shortcut_stride,
          from == 0};
}

void ImageNetwork::forward(std::span<const float> pixels, std::size_t images, Norm norm, std::size_t first,
                           const ImageNetwork* below) {
  engine_->activate();
  pixels_ = pixels.data();
  images_ = images;
  first_ = first;
  below_ = below;
  run_from(first, norm);
}

void ImageNetwork::run_from(std::size_t first, Norm norm) {
  for (std::size_t u = first; u <= architecture_->gates(); ++u) run_unit(u, norm);
  affine_forward();
}

void ImageNetwork::run_unit(std::size_t u, Norm norm) {
  Unit& unit = units_[u - 1];
  const auto lend = [&] {
    if (keep_ == Keep::all) return;
    std::swap(unit.main.z, passing_);
    std::swap(unit.projection.z, passing_projection_);
  };
  lend();
  convolve(u, Part::main, norm);
  if (architecture_->unit(u).projected) convolve(u, Part::projection, norm);
  activate_unit(u);
  lend();
}

void ImageNetwork::forward_again(Norm norm, std::size_t first) {
  engine_->activate();
  run_from(first, norm);
}

// Whether a unit from `first` on reads the output of a unit before it.
bool ImageNetwork::read_above(std::size_t tensor, std::size_t first) const {
  if (tensor + 1 == first) return true;
  for (std::size_t u = first; u <= architecture_->gates(); ++u)
    if (architecture_->unit(u).shortcut == tensor) return true;
  return false;
}

std::size_t ImageNetwork::kept_size(std::size_t first) const {
  std::size_t size = 0;
  for (std::size_t u = 1; u < first; ++u)
    if (read_above(u, first)) size += tensor_size(u);
  return size;
}

void ImageNetwork::keep_below(const ImageNetwork& whole, std::size_t first) {
  first_ = 1;
  below_ = nullptr;
  units_.resize(architecture_->gates());
  for (std::size_t u = 1; u <= units_.size(); ++u) {
    AlignedFloats& h = units_[u - 1].h;
    if (u >= first || !read_above(u, first))
      h = {};
    else
      std::copy_n(whole.output(u), whole.tensor_size(u), close_room(h, whole.tensor_size(u)));
  }
}

void ImageNetwork::forward_unit(std::span<const float> pixels, std::size_t images, Norm norm, std::size_t u,
                                const ImageNetwork& below) {
  engine_->activate();
  pixels_ = pixels.data();
  images_ = images;
  first_ = u;
  below_ = &below;
  run_unit(u, norm);
}

void ImageNetwork::convolve(std::size_t u, Part part, Norm norm) {
  Channels& c = part == Part::main ? units_[u - 1].main : units_[u - 1].projection;
  const std::size_t from = part == Part::main ? u - 1 : architecture_->unit(u).shortcut;
  engine_->forward(conv_shape(u, part), output(from), setting_.weights.data() + block(u, part).offset,
                   keep_ == Keep::all ? close_room(c.z, tensor_size(u)) : room(c.z, tensor_size(u)));
  const std::size_t width = shape_.widths[u], filled = engine_->padded(width);
  c.batch_mean.assign(width, 0);
  c.batch_variance.assign(width, 0);
  if (norm == Norm::batch) find_batch_moments(u, c);
  c.mean.assign(filled, 0);
  c.scale.assign(filled, 0);
  c.shift.assign(filled, 0);
  c.inverse_deviation.assign(width, 0);
  for (std::size_t j = 0; j < width; ++j) {
    const std::size_t s = slot(u, part) + setting_.gates->active[u - 1][j];
    const double mean = norm == Norm::batch ? c.batch_mean[j] : setting_.norm->mean[s];
    const double variance = norm == Norm::batch ? c.batch_variance[j] : setting_.norm->variance[s];
    c.inverse_deviation[j] = 1 / std::sqrt(variance + kNormEpsilon);
    const double scale = setting_.norm->scale[s] * c.inverse_deviation[j];
    c.mean[j] = static_cast<float>(mean);
    c.scale[j] = static_cast<float>(scale);
    c.shift[j] = static_cast<float>(setting_.norm->shift[s] - mean * scale);
  }
}

// Planes give mean and squares of their own; they are joined in the order of the images, whatever thread made them.
void ImageNetwork::find_batch_moments(std::size_t u, Channels& c) {
  const std::size_t lanes = engine_->lanes(), per_image = blocks(u) * lanes, size = plane(u);
  const auto count = static_cast<std::ptrdiff_t>(planes(u));
  std::vector<float> means(images_ * per_image), squares(images_ * per_image);
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t p = 0; p < count; ++p) {
    const auto i = static_cast<std::size_t>(p);
    norm_kernels().moments(c.z.data() + i * size, size / lanes, lanes, means.data() + i * lanes,
                           squares.data() + i * lanes);
  }
  const double pixels = static_cast<double>(architecture_->pixels(u)), n = static_cast<double>(images_);
  for (std::size_t j = 0; j < shape_.widths[u]; ++j) {
    double mean = 0, within = 0, between = 0;
    for (std::size_t i = 0; i < images_; ++i) mean += means[i * per_image + j];
    mean /= n;
    for (std::size_t i = 0; i < images_; ++i) {
      const double d = means[i * per_image + j] - mean;
      between += d * d;
      within += squares[i * per_image + j];
    }
    c.batch_mean[j] = mean;
    c.batch_variance[j] = (within / pixels + between) / n;
  }
}

void ImageNetwork::activate_unit(std::size_t u) {
  Unit& unit = units_[u - 1];
  const bool projected = architecture_->unit(u).projected;
  const std::size_t lanes = engine_->lanes(), size = plane(u), per_image = blocks(u),
                    t = architecture_->unit(u).shortcut;
  const std::size_t source_blocks = t > 0 ? blocks(t) : 0;
  const float* source = t > 0 && !projected ? output(t) : nullptr;
  float* h = close_room(unit.h, tensor_size(u));
  std::vector<float> shift = unit.main.shift;
  if (projected)
    for (std::size_t j = 0; j < shift.size(); ++j) shift[j] += unit.projection.shift[j];
  std::vector<AlignedFloats> gathered(source && !unit.aligned ? engine_->threads() : 0, AlignedFloats(size));
  const auto count = static_cast<std::ptrdiff_t>(planes(u));
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t p = 0; p < count; ++p) {
    const auto i = static_cast<std::size_t>(p);
    const std::size_t image = i / per_image, b = i % per_image, c = b * lanes;
    const float* extra = nullptr;
    if (source && unit.aligned) extra = source + i * size;
    if (source && !unit.aligned) {
      // Lane by lane, where the channel is active on both sides.
      float* to = gathered[static_cast<std::size_t>(omp_get_thread_num())].data();
      std::fill_n(to, size, 0.0f);
      for (std::size_t l = 0; l < lanes; ++l) {
        if (unit.shortcut_of[c + l] < 0) continue;
        const auto k = static_cast<std::size_t>(unit.shortcut_of[c + l]);
        const float* from = source + (image * source_blocks + k / lanes) * size + k % lanes;
        for (std::size_t q = 0; q < size; q += lanes) to[q + l] = unit.shortcut_weight[c + l] * from[q];
      }
      extra = to;
    }
    norm_kernels().forward(unit.main.z.data() + i * size, unit.main.scale.data() + c, shift.data() + c,
                           projected ? unit.projection.z.data() + i * size : nullptr,
                           projected ? unit.projection.scale.data() + c : nullptr, extra, h + i * size, size / lanes,
                           lanes);
  }
}

void ImageNetwork::affine_forward() {
  const std::size_t last = architecture_->last(), width = shape_.widths[last], lanes = engine_->lanes();
  const std::size_t size = plane(last), per_image = blocks(last), classes = architecture_->classes;
  features_.assign(images_ * width, 0);
  logits_.assign(images_ * classes, 0);
  const float *h = output(last), *w = setting_.weights.data() + shape_.affine.offset;
  const float* bias = setting_.weights.data() + shape_.biases;
  const auto count = static_cast<std::ptrdiff_t>(images_);
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t image = 0; image < count; ++image) {
    const auto i = static_cast<std::size_t>(image);
    float* f = features_.data() + i * width;
    for (std::size_t c = 0; c < width; ++c) {
      const float* from = h + (i * per_image + c / lanes) * size + c % lanes;
      float sum = 0;
      for (std::size_t q = 0; q < size; q += lanes) sum += from[q];
      f[c] = sum * static_cast<float>(lanes) / static_cast<float>(size);
    }
    for (std::size_t k = 0; k < classes; ++k) {
      float sum = bias[k];
      for (std::size_t c = 0; c < width; ++c) sum += w[k * width + c] * f[c];
      logits_[i * classes + k] = sum;
    }
  }
}

void ImageNetwork::update_running(NormState& norm, double momentum) const {
  for (std::size_t u = first_; u <= architecture_->gates(); ++u) {
    const double pixels = static_cast<double>(images_ * architecture_->pixels(u));
    // As usual, the running variance is the unbiased one.
    const double unbiased = pixels > 1 ? pixels / (pixels - 1) : 1;
    const auto update = [&](const Channels& c, std::size_t slot) {
      for (std::size_t j = 0; j < shape_.widths[u]; ++j) {
        const std::size_t s = slot + setting_.gates->active[u - 1][j];
        norm.mean[s] += static_cast<float>(momentum * (c.batch_mean[j] - norm.mean[s]));
        norm.variance[s] += static_cast<float>(momentum * (unbiased * c.batch_variance[j] - norm.variance[s]));
      }
    };
    update(unit(u).main, slot(u, Part::main));
    if (architecture_->unit(u).projected) update(unit(u).projection, slot(u, Part::projection));
  }
}

}  // namespace mbnn
