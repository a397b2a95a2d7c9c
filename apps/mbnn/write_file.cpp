#include "apps/mbnn/write_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "mbnn/core/error.h"
#include "mbnn/store/replace_file.h"

namespace mbnn::app {

namespace {

// A device or a pipe cannot be replaced by a rename. /dev/stdout must not be, although it is a link to a regular file
// whenever the output is redirected to one.
bool written_in_place(const std::string& path) {
  std::error_code none;
  return path == "/dev/stdout" || path == "/dev/stderr" || path.starts_with("/dev/fd/") || path.starts_with("/proc/") ||
         (std::filesystem::exists(path, none) && !std::filesystem::is_regular_file(path, none));
}

void print_count(std::size_t count, std::string_view counted, const std::string& path) {
  if (count == 1) counted.remove_suffix(1);  // the s
  fmt::print("{} {} in {}\n", count, counted, path);
}

}  // namespace

void refuse_input_as_output(const std::string& out, const std::vector<std::string>& inputs) {
  std::error_code none;
  for (const auto& input : inputs)
    if (std::filesystem::is_regular_file(input, none) && std::filesystem::equivalent(out, input, none))
      throw InputError(fmt::format("--out {} is an input of this command: choose another name", out));
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  std::error_code none;
  if (std::filesystem::is_directory(path_, none))
    throw InputError(fmt::format("{}: expected a file to write, this is a directory", path_));
  if (is_database(path_))
    throw InputError(
        fmt::format("{} is an SQLite database, as a fit is, and is not overwritten: choose another --out", path_));
  if (written_in_place(path_)) {
    // Opened anew, the standard output would have a place of its own in the file, and who writes next would write over
    // it. Others are appended to: what a redirection already wrote stays.
    file_ = path_ == kStandardOutput ? fdopen(dup(STDOUT_FILENO), "w") : std::fopen(path_.c_str(), "a");
  } else {
    // What a link points at is replaced, not the link.
    const bool link = std::filesystem::is_symlink(path_, none);
    temporary_.emplace(link ? std::filesystem::weakly_canonical(path_, none).string() : path_, path_);
    file_ = fdopen(dup(temporary_->descriptor()), "w");
  }
  if (!file_ && path_ == kStandardOutput) throw Error("the standard output is closed: nothing can be written to it");
  if (!file_) throw InputError(fmt::format("{} cannot be written: {}", path_, std::strerror(errno)));
}

OutputFile::~OutputFile() {
  if (file_) std::fclose(file_);
}

void OutputFile::fail(int error) const {
  throw Error(fmt::format("{} could not be written: {}", path_, std::strerror(error)));
}

void OutputFile::print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail(errno);
}

void OutputFile::place() {
  if (std::fflush(file_) != 0) fail(errno);
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail(errno);
  if (!temporary_) return;
  if (const int error = temporary_->place(true)) fail(error);
}

std::FILE* OutputFile::messages() const { return path_ == kStandardOutput ? stderr : stdout; }

void OutputFile::report(const nlohmann::json& what, const Common& common, std::string_view counted) const {
  if (common.json)
    fmt::print(messages(), "{}\n", what.dump(2));
  else if (!common.quiet && path_ != kStandardOutput)
    print_count(what.at(std::string(counted)).get<std::size_t>(), counted, path_);
}

}  // namespace mbnn::app
