// Masked convolutional networks as a list of units, each with one gate; and what a mask makes of them: shapes and
// costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mbnn/net/gates.h"

namespace mbnn {

// A unit is h = relu(norm(conv(x)) + shortcut), with one gate on the channels of h. Tensors are numbered: 0 is the
// image, u >= 1 the output of unit u, which reads tensor u - 1 and has gate u.
struct ImageUnit {
  std::size_t kernel = 3, stride = 1;
  std::size_t shortcut = 0;  // tensor added before the ReLU, each to one unit at most; 0: none
  bool projected = false;    // the shortcut passes a 1x1 convolution and a norm of its own
  std::size_t shortcut_stride = 1;
  std::size_t width = 0;  // channels that are active at the start
  std::size_t cap = 0;    // the most that may be
  bool operator==(const ImageUnit&) const = default;
};

// Units, then the mean over all pixels of the last one, then an affine map to the logits.
struct ImageArchitecture {
  std::size_t channels = 3, height = 32, width = 32, classes = 10;
  std::vector<ImageUnit> units;

  const ImageUnit& unit(std::size_t u) const { return units[u - 1]; }
  std::size_t gates() const { return units.size(); }
  std::size_t last() const { return units.size(); }
  // Rows and columns of a tensor.
  std::size_t rows(std::size_t tensor) const { return extent(tensor, height); }
  std::size_t columns(std::size_t tensor) const { return extent(tensor, width); }
  std::size_t pixels(std::size_t tensor) const { return rows(tensor) * columns(tensor); }
  // Slots of norm parameters, one for each channel that may exist: unit after unit, a projection's behind its unit's.
  std::size_t norm_slot(std::size_t u) const;
  std::size_t projection_slot(std::size_t u) const { return norm_slot(u) + unit(u).cap; }
  std::size_t norm_slots() const { return norm_slot(gates() + 1); }

  Gates initial_gates() const;  // the first `width` channels of each unit
  Gates full_gates() const;     // all up to the cap
  // Throws InputError for what is no network.
  void check() const;
  bool operator==(const ImageArchitecture&) const = default;

 private:
  std::size_t extent(std::size_t tensor, std::size_t whole) const;
};

struct ImageSize {
  std::size_t channels = 3, height = 32, width = 32, classes = 10;
};
// A cap is ceil(headroom * width).
inline constexpr double kHeadroom = 1.25, kMostHeadroom = 100;
inline constexpr std::size_t kMostBaseWidth = 4096;
// Bounds that keep all sizes of a network far from where their products would overflow.
inline constexpr std::size_t kMostUnits = 1000, kMostSide = 1 << 12, kMostClasses = 1 << 16, kMostKernel = 255;
inline constexpr std::size_t kMostChannels = 8 * kMostBaseWidth * static_cast<std::size_t>(kMostHeadroom);

// ResNet18 for small images: 3x3 stem without pooling, four stages of two basic blocks, 17 gates.
ImageArchitecture resnet18(const ImageSize& image, std::size_t base_width = 64, double headroom = kHeadroom);
// Four 3x3 convolutions of widths 1, 2, 2 and 4 times the base, the second and the last with stride 2.
ImageArchitecture plain_cnn(const ImageSize& image, std::size_t base_width = 32, double headroom = kHeadroom);

// One block of filters in the flat weights of a compact network: [out][in][row][column].
struct FilterBlock {
  std::size_t offset = 0, out = 0, in = 0, kernel = 1;
  std::size_t taps() const { return kernel * kernel; }
  std::size_t size() const { return out * in * taps(); }
};

// Where everything lies in the one block of weights of a compact network: for each unit its filters and those of its
// projection, then the affine map [class][channel], then its biases.
struct ImageShape {
  std::vector<std::size_t> widths;                // of tensor 0 (the image), 1, ...
  std::vector<FilterBlock> filters, projections;  // of unit u at [u - 1]; without a projection: out = 0
  FilterBlock affine;
  std::size_t biases = 0;  // their offset
  std::size_t size = 0;

  ImageShape() = default;
  ImageShape(const ImageArchitecture& architecture, const Gates& gates);
};

// Channels of a shortcut without projection that are active on both sides: positions in the sum and in the shortcut.
struct ChannelPair {
  std::uint32_t out, in;
};
std::vector<ChannelPair> shared_channels(std::span<const std::uint32_t> out, std::span<const std::uint32_t> in);

// Multiply-adds of the convolutions and the affine map for one image, and parameters: weights and, for each active
// channel, scale and shift of its norms.
struct ImageCost {
  std::uint64_t multiply_adds = 0, parameters = 0;
};
ImageCost image_cost(const ImageArchitecture& architecture, const Gates& gates);

// The slots of active channels, in the order in which their norms are stored.
std::vector<std::size_t> active_slots(const ImageArchitecture& architecture, const Gates& gates);

// All active channels as nodes, gate after gate.
std::vector<Node> active_nodes(const Gates& gates);

}  // namespace mbnn
