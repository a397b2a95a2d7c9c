// Plain values to bytes and back, for checkpoints and stored draws. Little-endian, as every machine we build for.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "mbnn/core/error.h"

namespace mbnn {

static_assert(std::endian::native == std::endian::little, "stored numbers are little-endian");

class ByteWriter {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) { append(&value, sizeof(T)); }
  template <class T>
  void put_all(const std::vector<T>& values) {
    put(static_cast<std::uint64_t>(values.size()));
    append(values.data(), values.size() * sizeof(T));
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void append(const void* from, std::size_t size) {
    if (size == 0) return;
    bytes_.resize(bytes_.size() + size);
    std::memcpy(bytes_.data() + bytes_.size() - size, from, size);
  }
  std::vector<std::byte> bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <class T>
  requires std::is_trivially_copyable_v<T> T get() {
    T value;
    std::memcpy(&value, next(sizeof(T)), sizeof(T));
    return value;
  }
  template <class T>
  std::vector<T> get_all() {
    const auto count = get<std::uint64_t>();
    if (count > bytes_.size() / sizeof(T)) throw ContentError("stored bytes end too early");
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), next(count * sizeof(T)), count * sizeof(T));
    return values;
  }
  bool done() const { return bytes_.empty(); }
  std::size_t left() const { return bytes_.size(); }

 private:
  const std::byte* next(std::size_t size) {
    if (size > bytes_.size()) throw ContentError("stored bytes end too early");
    const std::byte* p = bytes_.data();
    bytes_ = bytes_.subspan(size);
    return p;
  }
  std::span<const std::byte> bytes_;
};

}  // namespace mbnn
