// The writer's lock as one locked byte of the fit itself, so that there is no lock file to be left behind.
#include "mbnn/store/writer_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <set>

#include "mbnn/core/error.h"

namespace mbnn {
namespace {

// SQLite locks the 512 bytes from 2^30 on, in a page that it never writes; this is the byte after them.
constexpr off_t lock_offset = (off_t{1} << 30) + 512;

// Files that this process writes. Closing any descriptor of a file drops the locks that SQLite holds on it for this
// process, so that a second attempt from within has to be refused before it opens anything.
std::mutex held_mutex;
std::set<std::pair<dev_t, ino_t>> held;

[[noreturn]] void refuse(const std::string& shown_path) {
  throw InputError(fmt::format("{} is being written by another fit: wait for it to end, or stop it", shown_path));
}

[[noreturn]] void cannot_write(const std::string& shown_path) {
  throw InputError(fmt::format("{} cannot be written: {}", shown_path, std::strerror(errno)));
}

}  // namespace

WriterLock WriterLock::acquire(const std::string& path, const std::string& shown_path) {
  WriterLock result;  // before the guard: on a throw its destructor takes the mutex
  const std::scoped_lock guard(held_mutex);
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) cannot_write(shown_path);
  if (held.contains({status.st_dev, status.st_ino})) refuse(shown_path);
  result.descriptor_ = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (result.descriptor_ < 0) cannot_write(shown_path);
  result.lock(path, shown_path);
  return result;
}

WriterLock WriterLock::create(const std::string& path, const std::string& shown_path) {
  WriterLock result;
  const std::scoped_lock guard(held_mutex);
  result.descriptor_ = open(path.c_str(), O_RDWR | O_CLOEXEC | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
  if (result.descriptor_ < 0) cannot_write(shown_path);
  result.lock(path, shown_path);
  return result;
}

void WriterLock::lock(const std::string& path, const std::string& shown_path) {
  // Locks of the open file description: unlike SQLite's own they do not go when another descriptor is closed.
  struct flock byte {};
  byte.l_type = F_WRLCK;
  byte.l_whence = SEEK_SET;
  byte.l_start = lock_offset;
  byte.l_len = 1;
  const bool locked = fcntl(descriptor_, F_OFD_SETLK, &byte) == 0;
  if (!locked && (errno == EAGAIN || errno == EACCES)) refuse(shown_path);
  if (!locked) throw Error(fmt::format("{} cannot be locked: {}", shown_path, std::strerror(errno)));

  // Between opening and locking another fit may have put its own file in this place.
  struct stat mine {
  }, there{};
  if (fstat(descriptor_, &mine) != 0 || stat(path.c_str(), &there) != 0) cannot_write(shown_path);
  if (mine.st_dev != there.st_dev || mine.st_ino != there.st_ino) refuse(shown_path);
  identity_ = {mine.st_dev, mine.st_ino};
  held.insert(identity_);
}

WriterLock::~WriterLock() {
  if (descriptor_ < 0) return;
  const std::scoped_lock guard(held_mutex);
  held.erase(identity_);
  close(descriptor_);
}

}  // namespace mbnn
