#include "mbnn/images/file_bytes.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "mbnn/core/error.h"

namespace mbnn {

void ImageBytes::Close::operator()(gzFile_s* file) const { gzclose(file); }

ImageBytes::ImageBytes(std::string path) : path_(std::move(path)) {
  errno = 0;
  file_.reset(gzopen(path_.c_str(), "rb"));
  if (!file_)
    throw InputError(
        fmt::format("{}: cannot be opened: {}", path_, errno ? std::strerror(errno) : "not enough memory"));
  gzbuffer(file_.get(), 1 << 17);
}

std::size_t ImageBytes::read_chunk(std::uint8_t* to, unsigned count) {
  errno = 0;
  const int got = gzread(file_.get(), to, count);
  int status = Z_OK;
  const char* what = gzerror(file_.get(), &status);
  if (status == Z_ERRNO)
    throw Error(fmt::format("{}, byte {}: cannot be read: {}", path_, offset_, std::strerror(errno)));
  if (status == Z_BUF_ERROR)
    throw InputError(fmt::format("{}: the gzip stream is cut after {} decompressed bytes", path_,
                                 offset_ + static_cast<std::uint64_t>(std::max(got, 0))));
  if (got < 0 || status < 0)
    throw InputError(
        fmt::format("{}: the gzip stream is damaged near decompressed byte {} ({})", path_, offset_, what));
  offset_ += static_cast<std::uint64_t>(got);
  return static_cast<std::size_t>(got);
}

std::vector<std::uint8_t> ImageBytes::read(std::uint64_t count) {
  constexpr std::uint64_t chunk = 1 << 24;
  std::vector<std::uint8_t> bytes;
  while (bytes.size() < count) {
    const std::size_t before = bytes.size(), wanted = std::min<std::uint64_t>(chunk, count - before);
    bytes.resize(before + wanted);
    const std::size_t got = read_chunk(bytes.data() + before, static_cast<unsigned>(wanted));
    bytes.resize(before + got);
    if (got < wanted) break;
  }
  return bytes;
}

bool ImageBytes::at_end() {
  std::uint8_t byte;
  const bool end = read_chunk(&byte, 1) == 0;
  if (!end) --offset_;
  return end;
}

}  // namespace mbnn
