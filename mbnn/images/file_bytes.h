// The bytes of a file, whether it was compressed with gzip or not.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct gzFile_s;

namespace mbnn {

class ImageBytes {
 public:
  // Throws InputError for what is no regular file: a pipe could keep a fit waiting for ever.
  explicit ImageBytes(std::string path);

  // The next `count` bytes, or fewer at the end of the file. Memory grows with what is read, not with what a damaged
  // header announces.
  std::vector<std::uint8_t> read(std::uint64_t count);
  bool at_end();
  // Throws InputError if so many further bytes cannot come out of a file of this size. What is compressed may hide any
  // number of them: more than real images can is not decompressed.
  void require_room(std::uint64_t count) const;
  const std::string& path() const { return path_; }
  std::uint64_t offset() const { return offset_; }  // of the next byte, after decompression

 private:
  struct Close {
    void operator()(gzFile_s* file) const;
  };
  std::size_t read_chunk(std::uint8_t* to, unsigned count);

  std::string path_;
  std::unique_ptr<gzFile_s, Close> file_;
  std::uint64_t offset_ = 0, most_ = 0;  // decompressed bytes, read and at most
  bool compressed_ = false;
};

}  // namespace mbnn
