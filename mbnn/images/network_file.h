// A compact network by itself: architecture, active channels, their weights and norms, and how pixels are scaled. Also
// the bytes of a draw.
#pragma once

#include <string>
#include <vector>

#include "mbnn/core/bytes.h"
#include "mbnn/images/image_set.h"
#include "mbnn/images/model.h"

namespace mbnn {

struct CompactNetwork {
  ImageArchitecture architecture;
  ImageScaling scaling;
  ImageState state;  // norms of inactive channels are as new
};

// "mbnnIMG1"; uint64 length and that many bytes of content; uint64 FNV-1a checksum of them. The content, each array
// with its uint64 length before it: uint64 channels, height, width, classes, units; for each unit uint64 kernel,
// stride, shortcut, projected, shortcut stride, width, cap; float32 means and standard deviations of pixels; for each
// unit uint32 active channels; float32 weights; float32 scale, shift, mean and variance of the norms of active
// channels, a unit's before its projection's.
std::vector<std::byte> to_bytes(const CompactNetwork& network);
// Throws Error naming `place` for what is damaged, InputError for what is whole and can be no network.
CompactNetwork from_bytes(std::span<const std::byte> bytes, const std::string& place);

// The bytes of one or more networks, whose predictions are averaged, one after another in a file.
std::vector<CompactNetwork> read_network_file(const std::string& path);

}  // namespace mbnn
