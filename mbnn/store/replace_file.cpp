// The steps of replacing a database, whose journal must neither be lost for the old file nor be applied to the new one.
#include "mbnn/store/replace_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "mbnn/core/error.h"
#include "mbnn/store/database.h"

namespace mbnn {
namespace {

namespace fs = std::filesystem;

constexpr const char* journal_suffixes[] = {"-journal", "-wal"};

// A rename is on disk once its directory is.
void sync_directory(const fs::path& directory) {
  const int descriptor = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);  // some file systems cannot sync a directory; the file itself is complete in any case
  close(descriptor);
}

}  // namespace

bool is_database(const std::string& path) {
  std::error_code failure;
  if (!fs::is_regular_file(path, failure)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string head(15, ' ');
  return file.read(head.data(), 15) && head == "SQLite format 3";
}

std::string resolve_target(const std::string& shown_path) {
  std::error_code failure;
  if (shown_path.empty()) throw InputError("the path of the fit is empty");
  const fs::path path = fs::absolute(shown_path);
  if (fs::is_directory(path, failure)) throw InputError(fmt::format("{} is a directory, not a file", shown_path));
  if (fs::exists(path, failure)) {
    if (!fs::is_regular_file(path, failure)) throw InputError(fmt::format("{} is not a regular file", shown_path));
    if (fs::file_size(path, failure) > 0 && !is_database(path.string()))
      throw InputError(fmt::format("{} is there and is no fit: choose another name, or remove it", shown_path));
    return fs::canonical(path).string();
  }
  const fs::path directory = fs::canonical(path.parent_path(), failure);
  if (failure || !fs::is_directory(directory))
    throw InputError(
        fmt::format("{} cannot be written: there is no directory {}", shown_path, path.parent_path().string()));
  return (directory / path.filename()).string();
}

ReplacementFile::ReplacementFile(std::string target, std::string shown_path, bool overwrite)
    : target_(std::move(target)), shown_path_(std::move(shown_path)) {
  std::error_code failure;
  if (fs::exists(target_, failure)) {
    if (!overwrite)
      throw InputError(
          fmt::format("{} already exists: choose another name, or ask for it to be overwritten", shown_path_));
    replaced_lock_.emplace(WriterLock::acquire(target_, shown_path_));
  } else if (!overwrite) {
    for (const char* suffix : journal_suffixes)
      if (fs::exists(target_ + suffix, failure))
        throw InputError(
            fmt::format("{0}{1} is left over from a fit that was interrupted and is no longer at {0}: "
                        "put it beside its fit, or remove it",
                        shown_path_, suffix));
  }
  temporary_.emplace(target_, shown_path_);
}

void ReplacementFile::clear_journals() {
  if (replaced_lock_) {
    // Reading makes SQLite undo the unfinished write: should the rename fail, the old fit is whole without its journal.
    try {
      Database(target_, shown_path_, Database::Access::write).integer("SELECT count(*) FROM sqlite_schema");
    } catch (const Error&) {
      // not a database, or beyond repair: about to be replaced as asked
    }
  }
  std::error_code ignored;
  for (const char* suffix : journal_suffixes) fs::remove(target_ + suffix, ignored);
}

WriterLock ReplacementFile::place() {
  clear_journals();
  // Without a lock on a file to be replaced there was none to begin with, and one that came since is not ours.
  if (const int error = temporary_->place(replaced_lock_.has_value()))
    throw InputError(fmt::format("{} cannot be written: {}", shown_path_, std::strerror(error)));
  sync_directory(fs::path(target_).parent_path());
  return temporary_->take_lock();
}

}  // namespace mbnn
