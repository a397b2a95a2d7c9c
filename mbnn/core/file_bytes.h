// The bytes of a file, whether it was compressed with gzip or not.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

struct gzFile_s;

namespace mbnn {

class FileBytes {
 public:
  // A compressed file that unpacks to more than `most` bytes is refused.
  explicit FileBytes(std::string path, std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

  // The next `count` bytes, or fewer at the end of the file. Memory grows with what is read, not with what a damaged
  // header announces.
  std::vector<std::uint8_t> read(std::uint64_t count);
  // The same into memory that is there; returns how many.
  std::size_t read(void* to, std::size_t count);
  bool at_end();
  bool compressed() const;
  const std::string& path() const { return path_; }
  std::uint64_t offset() const { return offset_; }  // of the next byte, after decompression

 private:
  struct Close {
    void operator()(gzFile_s* file) const;
  };

  std::string path_;
  std::uint64_t most_;
  std::unique_ptr<gzFile_s, Close> file_;
  std::uint64_t offset_ = 0;
};

}  // namespace mbnn
