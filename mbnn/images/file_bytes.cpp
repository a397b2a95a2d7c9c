#include "mbnn/images/file_bytes.h"

#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "mbnn/core/error.h"

namespace mbnn {

void ImageBytes::Close::operator()(gzFile_s* file) const { gzclose(file); }

namespace {

constexpr std::uint64_t kMostPlain = std::uint64_t{1} << 36;
// Deflate makes up to 1032 bytes of one. Images that are half black make 10.
constexpr std::uint64_t kMostRatio = 200, kAlways = std::uint64_t{64} << 20;

}  // namespace

ImageBytes::ImageBytes(std::string path) : path_(std::move(path)) {
  struct stat status {};
  if (stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    throw InputError(fmt::format("{}: is {}; expected a file", path_,
                                 S_ISDIR(status.st_mode) ? "a directory" : "a pipe or a device"));
  errno = 0;
  file_.reset(gzopen(path_.c_str(), "rb"));
  if (!file_)
    throw InputError(
        fmt::format("{}: cannot be opened: {}", path_, errno ? std::strerror(errno) : "not enough memory"));
  gzbuffer(file_.get(), 1 << 17);
  compressed_ = gzdirect(file_.get()) == 0;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  most_ = std::min(kMostPlain, compressed_ ? kAlways + kMostRatio * std::min(size, kMostPlain) : size);
}

void ImageBytes::require_room(std::uint64_t count) const {
  if (count <= most_ && offset_ <= most_ - count) return;
  if (compressed_)
    throw InputError(
        fmt::format("{}: announces or holds more than the {} MiB that are decompressed of a file of its size; "
                    "decompress it first if its images are really so alike",
                    path_, most_ >> 20));
  if (most_ == kMostPlain) throw InputError(fmt::format("{}: is larger than {} GiB", path_, kMostPlain >> 30));
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
  require_room(0);
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
