// The text of a table's file as UTF-8: unpacked if it was compressed, converted if its first bytes say UTF-16.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "mbnn/core/file_bytes.h"

namespace mbnn {

class TextSource {
 public:
  // A table streams through memory, but what is kept of it grows with its rows: a small file that unpacks to more than
  // this is rather a mistake.
  static constexpr std::uint64_t most_unpacked = std::uint64_t{1} << 34;

  explicit TextSource(std::string path, std::uint64_t most = most_unpacked);

  // The next bytes, without a byte order mark; fewer than `count` only at the end.
  std::size_t read(char* to, std::size_t count);
  // Whether the text is as long as the file.
  bool as_stored() const { return encoding_ == Encoding::utf8 && !file_.compressed(); }

 private:
  enum class Encoding { utf8, utf16_little, utf16_big };
  void convert();
  std::uint32_t unit(const std::uint8_t* bytes) const;

  FileBytes file_;
  Encoding encoding_ = Encoding::utf8;
  std::string ready_;           // text that is to be handed out first
  std::size_t handed_out_ = 0;  // of it
  std::uint32_t high_ = 0;      // the first half of a character that is parted by the end of a chunk
};

}  // namespace mbnn
