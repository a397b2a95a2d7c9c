// A new file that takes the place of an old one at once or not at all.
#pragma once

#include <optional>
#include <string>

#include "mbnn/store/temporary_file.h"

namespace mbnn {

// Told by its first bytes: a fit may also be damaged, or of a later version.
bool is_database(const std::string& path);

// Absolute, with links followed, so that renaming replaces the file that a link points at and not the link.
// Throws InputError when the directory does not exist or the path cannot hold a regular file.
std::string resolve_target(const std::string& shown_path);

// The file to be, beside its target; removed unless place() was reached.
class ReplacementFile {
 public:
  // Throws InputError when the target exists and `overwrite` is false, is being written, or cannot be written.
  ReplacementFile(std::string target, std::string shown_path, bool overwrite);

  const std::string& temporary_path() const { return temporary_->path(); }
  // Renames into place and returns the lock, held without a gap. No connection to the temporary path may be open.
  WriterLock place();

 private:
  void clear_journals();

  std::string target_, shown_path_;
  std::optional<WriterLock> replaced_lock_;
  std::optional<TemporaryFile> temporary_;
};

}  // namespace mbnn
