#include "mbnn/net/conv/architecture.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mbnn/core/error.h"

namespace mbnn {

std::size_t ImageArchitecture::extent(std::size_t tensor, std::size_t whole) const {
  if (tensor == 0) return whole;
  // With a padding of (kernel - 1) / 2 on each side and odd kernels.
  return (extent(tensor - 1, whole) - 1) / unit(tensor).stride + 1;
}

std::size_t ImageArchitecture::norm_slot(std::size_t u) const {
  std::size_t sum = 0;
  for (std::size_t v = 1; v < u; ++v) sum += unit(v).cap * (unit(v).projected ? 2 : 1);
  return sum;
}

namespace {

template <class Width>
Gates gates_of(const ImageArchitecture& architecture, Width width) {
  Gates gates;
  for (const ImageUnit& unit : architecture.units) {
    auto& active = gates.active.emplace_back(width(unit));
    std::iota(active.begin(), active.end(), 0u);
  }
  return gates;
}

std::size_t cap_of(std::size_t width, double headroom) {
  return static_cast<std::size_t>(std::ceil(headroom * static_cast<double>(width)));
}

ImageArchitecture empty(const ImageSize& image, std::size_t base_width, double headroom) {
  require(base_width >= 1 && base_width <= kMostBaseWidth, "base_width", base_width,
          fmt::format("must be from 1 to {}", kMostBaseWidth));
  require(headroom >= 1 && headroom <= kMostHeadroom, "headroom", headroom,
          fmt::format("must be from 1 to {}", kMostHeadroom));
  return {image.channels, image.height, image.width, image.classes, {}};
}

}  // namespace

Gates ImageArchitecture::initial_gates() const {
  return gates_of(*this, [](const ImageUnit& unit) { return unit.width; });
}

Gates ImageArchitecture::full_gates() const {
  return gates_of(*this, [](const ImageUnit& unit) { return unit.cap; });
}

void ImageArchitecture::check() const {
  const auto between = [](const char* name, std::size_t value, std::size_t least, std::size_t most) {
    require(value >= least && value <= most, name, value, fmt::format("must be from {} to {}", least, most));
  };
  between("units", units.size(), 1, kMostUnits);
  between("channels", channels, 1, kMostSide);
  between("height", height, 1, kMostSide);
  between("width", width, 1, kMostSide);
  between("classes", classes, 2, kMostClasses);
  for (std::size_t u = 1; u <= gates(); ++u) {
    const ImageUnit& y = unit(u);
    between("kernel", y.kernel, 1, kMostKernel);
    require(y.kernel % 2 == 1, "kernel", y.kernel, "must be odd");
    between("stride", y.stride, 1, kMostSide);
    between("shortcut_stride", y.shortcut_stride, 1, kMostSide);
    between("cap", y.cap, 1, kMostChannels);
    require(y.width >= 1 && y.width <= y.cap, "width", y.width, "must be from 1 to the cap");
    require(y.shortcut < u, "shortcut", y.shortcut, "must be an earlier tensor");
    for (std::size_t v = 1; v < u; ++v)
      require(y.shortcut == 0 || unit(v).shortcut != y.shortcut, "shortcut", y.shortcut, "is used twice");
    require(!y.projected || y.shortcut > 0, "projected", y.projected, "needs a shortcut");
    require(y.projected || y.shortcut_stride == 1, "shortcut_stride", y.shortcut_stride,
            "must be 1 without a projection");
    const auto after = [&](std::size_t whole) { return (whole - 1) / y.shortcut_stride + 1; };
    if (y.shortcut > 0)
      require(after(rows(y.shortcut)) == rows(u) && after(columns(y.shortcut)) == columns(u), "shortcut", y.shortcut,
              "must have the size of the output after its stride");
  }
}

ImageArchitecture resnet18(const ImageSize& image, std::size_t base_width, double headroom) {
  ImageArchitecture net = empty(image, base_width, headroom);
  const auto add = [&](ImageUnit unit, std::size_t width) {
    unit.width = width;
    unit.cap = cap_of(width, headroom);
    net.units.push_back(unit);
    return net.units.size();
  };
  std::size_t x = add({}, base_width);
  for (std::size_t stage = 0; stage < 4; ++stage)
    for (std::size_t block = 0; block < 2; ++block) {
      const std::size_t width = base_width << stage, stride = stage > 0 && block == 0 ? 2 : 1;
      add({.stride = stride}, width);
      x = add({.shortcut = x, .projected = stride == 2, .shortcut_stride = stride}, width);
    }
  net.check();
  return net;
}

ImageArchitecture plain_cnn(const ImageSize& image, std::size_t base_width, double headroom) {
  ImageArchitecture net = empty(image, base_width, headroom);
  const std::size_t times[] = {1, 2, 2, 4}, strides[] = {1, 2, 1, 2};
  for (std::size_t u = 0; u < 4; ++u) {
    const std::size_t width = base_width * times[u];
    net.units.push_back({.stride = strides[u], .width = width, .cap = cap_of(width, headroom)});
  }
  net.check();
  return net;
}

ImageShape::ImageShape(const ImageArchitecture& architecture, const Gates& gates) {
  widths.push_back(architecture.channels);
  for (const auto& active : gates.active) widths.push_back(active.size());
  const auto place = [&](std::size_t out, std::size_t in, std::size_t kernel) {
    const FilterBlock block{size, out, in, kernel};
    size += block.size();
    return block;
  };
  for (std::size_t u = 1; u <= architecture.gates(); ++u) {
    const ImageUnit& unit = architecture.unit(u);
    filters.push_back(place(widths[u], widths[u - 1], unit.kernel));
    projections.push_back(unit.projected ? place(widths[u], widths[unit.shortcut], 1) : FilterBlock{});
  }
  affine = place(architecture.classes, widths.back(), 1);
  biases = size;
  size += architecture.classes;
}

std::vector<ChannelPair> shared_channels(std::span<const std::uint32_t> out, std::span<const std::uint32_t> in) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> position;  // number, position
  for (std::uint32_t i = 0; i < in.size(); ++i) position.emplace_back(in[i], i);
  std::sort(position.begin(), position.end());
  std::vector<ChannelPair> pairs;
  for (std::uint32_t j = 0; j < out.size(); ++j) {
    const auto found = std::lower_bound(position.begin(), position.end(), std::pair{out[j], 0u});
    if (found != position.end() && found->first == out[j]) pairs.push_back({j, found->second});
  }
  return pairs;
}

ImageCost image_cost(const ImageArchitecture& architecture, const Gates& gates) {
  const ImageShape shape(architecture, gates);
  ImageCost cost{shape.affine.size(), shape.size};
  for (std::size_t u = 1; u <= architecture.gates(); ++u) {
    const FilterBlock &main = shape.filters[u - 1], &projection = shape.projections[u - 1];
    cost.multiply_adds += (main.size() + projection.size()) * architecture.pixels(u);
    cost.parameters += 2 * (main.out + projection.out);
  }
  return cost;
}

std::vector<std::size_t> active_slots(const ImageArchitecture& architecture, const Gates& gates) {
  std::vector<std::size_t> slots;
  for (std::size_t u = 1; u <= architecture.gates(); ++u) {
    for (std::uint32_t c : gates.active[u - 1]) slots.push_back(architecture.norm_slot(u) + c);
    if (architecture.unit(u).projected)
      for (std::uint32_t c : gates.active[u - 1]) slots.push_back(architecture.projection_slot(u) + c);
  }
  return slots;
}

std::vector<Node> active_nodes(const Gates& gates) {
  std::vector<Node> nodes;
  for (std::size_t l = 1; l <= gates.active.size(); ++l)
    for (std::size_t i = 0; i < gates.active[l - 1].size(); ++i) nodes.push_back({l, i});
  return nodes;
}

}  // namespace mbnn
