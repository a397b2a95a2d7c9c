// What a fuzz target is: something that reads bytes of a stranger, and examples of bytes that are well-formed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mbnn::fuzz {

using Bytes = std::span<const std::uint8_t>;

// Ends, or throws an mbnn::Error. Whatever else happens is a finding.
void read_bytes(Bytes input);
// Made by the library itself, so that they follow its formats.
std::vector<std::string> seeds();

// Of the process, in memory, removed at its end.
const std::string& scratch_directory();
void write_file(const std::string& path, Bytes content);
// Ends the process with the text, for what is wrong without being a crash.
[[noreturn]] void finding(const std::string& text);

inline std::string text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline std::span<const std::byte> as_bytes(Bytes bytes) { return std::as_bytes(bytes); }

}  // namespace mbnn::fuzz
