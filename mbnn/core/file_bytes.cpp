#include "mbnn/core/file_bytes.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "mbnn/core/error.h"

namespace mbnn {

void FileBytes::Close::operator()(gzFile_s* file) const { gzclose(file); }

FileBytes::FileBytes(std::string path, std::uint64_t most) : path_(std::move(path)), most_(most) {
  errno = 0;
  file_.reset(gzopen(path_.c_str(), "rb"));
  if (!file_)
    throw InputError(
        fmt::format("{}: cannot be opened: {}", path_, errno ? std::strerror(errno) : "not enough memory"));
  gzbuffer(file_.get(), 1 << 17);
}

bool FileBytes::compressed() const { return gzdirect(file_.get()) == 0; }

std::size_t FileBytes::read(void* to, std::size_t count) {
  constexpr std::size_t chunk = 1 << 24;  // of which the count is an int
  std::size_t done = 0;
  while (done < count) {
    const std::size_t wanted = std::min(chunk, count - done);
    errno = 0;
    const int got = gzread(file_.get(), static_cast<char*>(to) + done, static_cast<unsigned>(wanted));
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
    done += static_cast<std::size_t>(got);
    offset_ += static_cast<std::uint64_t>(got);
    if (offset_ > most_ && compressed())
      throw InputError(fmt::format("{}: unpacks to more than {} bytes; unpack it first if it is meant to be that large",
                                   path_, most_));
    if (static_cast<std::size_t>(got) < wanted) break;
  }
  return done;
}

std::vector<std::uint8_t> FileBytes::read(std::uint64_t count) {
  constexpr std::uint64_t chunk = 1 << 24;
  std::vector<std::uint8_t> bytes;
  while (bytes.size() < count) {
    const std::size_t before = bytes.size(), wanted = std::min<std::uint64_t>(chunk, count - before);
    bytes.resize(before + wanted);
    const std::size_t got = read(bytes.data() + before, wanted);
    bytes.resize(before + got);
    if (got < wanted) break;
  }
  return bytes;
}

bool FileBytes::at_end() {
  std::uint8_t byte;
  const bool end = read(&byte, 1) == 0;
  if (!end) --offset_;
  return end;
}

}  // namespace mbnn
