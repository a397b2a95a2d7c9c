// The right to write a fit: held by at most one writer at a time, gone with the process that held it.
#pragma once

#include <sys/types.h>
#include <string>
#include <utility>

namespace mbnn {

// SQLite locks a file for the length of a transaction only; two fits that take turns would still mix their draws.
class WriterLock {
 public:
  // Throws InputError when another writer, of this process or any other, holds the file.
  static WriterLock acquire(const std::string& path, const std::string& shown_path);
  // Creates the empty file, where neither a file nor a link may be, and holds it. Throws InputError when it cannot be
  // created.
  static WriterLock create(const std::string& path, const std::string& shown_path);

  WriterLock(WriterLock&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), identity_(other.identity_) {}
  WriterLock& operator=(WriterLock&&) = delete;
  ~WriterLock();
  int descriptor() const { return descriptor_; }

 private:
  using Identity = std::pair<dev_t, ino_t>;
  WriterLock() = default;
  void lock(const std::string& path, const std::string& shown_path);

  int descriptor_ = -1;
  Identity identity_{};  // follows the file when it is renamed
};

}  // namespace mbnn
