// A matrix of rows by nodes, cut into tiles of rows that the kernels work on.
#pragma once

#include <algorithm>
#include <cstring>

#include "mbnn/core/aligned.h"
#include "mbnn/net/dense/kernels.h"

namespace mbnn {

// Nodes can be appended and removed; storage keeps spare capacity so that most appends move nothing.
class Tiles {
 public:
  Tiles() = default;
  Tiles(std::size_t rows, std::size_t nodes) { reset(rows, nodes); }

  void reset(std::size_t rows, std::size_t nodes) {
    rows_ = rows;
    nodes_ = nodes;
    if (nodes > capacity_ || data_.size() < count() * capacity_ * kTileRows) {
      capacity_ = std::max(nodes, capacity_);
      data_.resize(count() * capacity_ * kTileRows);
    }
  }

  std::size_t rows() const { return rows_; }
  std::size_t nodes() const { return nodes_; }
  std::size_t count() const { return (rows_ + kTileRows - 1) / kTileRows; }
  std::size_t first_row(std::size_t tile) const { return tile * kTileRows; }
  // Rows that hold data, and the same rounded up to whole vectors.
  std::size_t valid_rows(std::size_t tile) const { return std::min(kTileRows, rows_ - first_row(tile)); }
  std::size_t padded_rows(std::size_t tile) const { return (valid_rows(tile) + kRowBlock - 1) / kRowBlock * kRowBlock; }

  float* tile(std::size_t t) { return data_.data() + t * capacity_ * kTileRows; }
  const float* tile(std::size_t t) const { return data_.data() + t * capacity_ * kTileRows; }
  float* node(std::size_t t, std::size_t k) { return tile(t) + k * kTileRows; }
  const float* node(std::size_t t, std::size_t k) const { return tile(t) + k * kTileRows; }

  void append(const Tiles& other) {
    if (nodes_ + other.nodes_ > capacity_) {
      Tiles wider(rows_, nodes_ + other.nodes_ + 8);
      for (std::size_t t = 0; t < count(); ++t) std::copy_n(tile(t), nodes_ * kTileRows, wider.tile(t));
      wider.nodes_ = nodes_;
      *this = std::move(wider);
    }
    for (std::size_t t = 0; t < count(); ++t) std::copy_n(other.tile(t), other.nodes_ * kTileRows, node(t, nodes_));
    nodes_ += other.nodes_;
  }

  void remove(std::size_t k) {
    for (std::size_t t = 0; t < count(); ++t)
      std::memmove(node(t, k), node(t, k + 1), (nodes_ - k - 1) * kTileRows * sizeof(float));
    --nodes_;
  }

 private:
  std::size_t rows_ = 0, nodes_ = 0, capacity_ = 0;
  AlignedFloats data_;
};

}  // namespace mbnn
