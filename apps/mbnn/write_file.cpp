#include "apps/mbnn/write_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "mbnn/core/error.h"

namespace mbnn::app {

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  // A device or a pipe such as /dev/stdout cannot be replaced by a rename: it is written directly.
  std::error_code none;
  const bool special = std::filesystem::exists(path_, none) && !std::filesystem::is_regular_file(path_, none);
  temporary_ = special ? path_ : fmt::format("{}.{}.tmp", path_, getpid());
  if (std::filesystem::is_directory(path_, none))
    throw InputError(fmt::format("{}: expected a file to write, this is a directory", path_));
  file_ = std::fopen(temporary_.c_str(), "w");
  if (!file_) throw InputError(fmt::format("{} cannot be written: {}", path_, std::strerror(errno)));
}

OutputFile::~OutputFile() {
  if (!file_) return;
  std::fclose(file_);
  if (temporary_ != path_) std::remove(temporary_.c_str());
}

void OutputFile::fail(int error) const {
  throw Error(fmt::format("{} could not be written: {}", path_, std::strerror(error)));
}

void OutputFile::print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail(errno);
}

void OutputFile::place() {
  if (std::fflush(file_) != 0) fail(errno);
  std::FILE* file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0) fail(errno);
  if (temporary_ != path_ && std::rename(temporary_.c_str(), path_.c_str()) != 0) fail(errno);
}

}  // namespace mbnn::app
