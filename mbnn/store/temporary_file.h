// A file to be, beside the target whose place it takes: under a name that nobody can have taken, and gone if it is
// never placed.
#pragma once

#include <optional>
#include <string>

#include "mbnn/store/writer_lock.h"

namespace mbnn {

class TemporaryFile {
 public:
  // Creates the empty file, and removes those that killed programs have left for this target. Throws InputError when it
  // cannot be created.
  TemporaryFile(std::string target, const std::string& shown_path);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }
  int descriptor() const { return lock_->descriptor(); }
  // Renames it to the target; without `replace` only if nothing is there. 0, or the error's number, and then it is as
  // before.
  int place(bool replace);
  WriterLock take_lock() { return std::move(*lock_); }  // of the file, wherever it is now

 private:
  std::string target_, path_;
  std::optional<WriterLock> lock_;  // tells the others that it is in use
  int slot_ = -1;
};

// Removes all that are not placed, for programs that end by a signal: it may be called from its handler.
void remove_temporary_files() noexcept;

}  // namespace mbnn
