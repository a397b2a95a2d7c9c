// The 64-bit checksum that each row of a fit file carries: FNV-1a over the row's table, identity and content.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace mbnn {

// Each step of FNV-1a is a bijection of the running value, so that a change within any single byte is always seen.
// The identity is part of it: an intact row that turns up under another chain or iteration is damage, too.
class Checksum {
 public:
  explicit Checksum(std::string_view table) { add(table); }

  Checksum& add(std::int64_t value) {
    static_assert(std::endian::native == std::endian::little, "fit files are little-endian");
    mix(std::as_bytes(std::span(&value, 1)));
    return *this;
  }

  // The length goes first: moving a byte from one field to the next must not go unseen.
  Checksum& add(std::span<const std::byte> bytes) {
    add(static_cast<std::int64_t>(bytes.size()));
    mix(bytes);
    return *this;
  }

  Checksum& add(std::string_view text) { return add(std::as_bytes(std::span(text))); }

  // Signed, because that is what an SQLite integer is.
  std::int64_t value() const { return static_cast<std::int64_t>(state_); }

 private:
  void mix(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) state_ = (state_ ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3u;
  }

  std::uint64_t state_ = 0xcbf29ce484222325u;
};

}  // namespace mbnn
