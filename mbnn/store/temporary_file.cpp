#include "mbnn/store/temporary_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <vector>

#include "mbnn/core/error.h"

namespace mbnn {
namespace {

namespace fs = std::filesystem;

constexpr const char* kJournals[] = {"-journal", "-wal"};

// The names for remove_temporary_files(), which may not ask for memory. A file that finds no room is swept later.
struct Slot {
  std::atomic<bool> taken = false, named = false;
  std::array<char, 4096> name{};
};
std::array<Slot, 16> slots;

int remember(const std::string& path) {
  if (path.size() + 10 > slots[0].name.size()) return -1;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].taken.exchange(true)) continue;
    std::memcpy(slots[i].name.data(), path.c_str(), path.size() + 1);
    slots[i].named = true;
    return static_cast<int>(i);
  }
  return -1;
}

void forget(int slot) {
  if (slot < 0) return;
  slots[static_cast<std::size_t>(slot)].named = false;
  slots[static_cast<std::size_t>(slot)].taken = false;
}

std::string beginning(const std::string& target) { return target + ".partial-"; }

// The process, for people who find it, and what nobody can guess.
std::string name_beside(const std::string& target) {
  std::uint32_t random = 0;
  if (getrandom(&random, sizeof random, 0) != sizeof random)
    random = static_cast<std::uint32_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  return fmt::format("{}{}-{:08x}", beginning(target), getpid(), random);
}

void remove_with_journals(const std::string& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
  for (const char* journal : kJournals) fs::remove(path + journal, ignored);
}

// Left by a program that was killed: of this user, locked by nobody, and not just being made. A process by its number
// may be one of another machine.
bool stale(const fs::path& path) {
  constexpr std::time_t young = 60;
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid()) return false;
  if (std::time(nullptr) - status.st_mtime < young) return false;
  try {
    WriterLock::acquire(path.string(), path.string());
    return true;
  } catch (const Error&) {
    return false;
  }
}

void sweep(const std::string& target) {
  const std::string first = fs::path(beginning(target)).filename().string();
  std::error_code failure;
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(fs::path(target).parent_path(), failure)) {
    const std::string name = entry.path().filename().string();
    const bool journal = name.ends_with(kJournals[0]) || name.ends_with(kJournals[1]);
    if (name.starts_with(first) && !journal) found.push_back(entry.path());
  }
  for (const fs::path& path : found)
    if (stale(path)) remove_with_journals(path.string());
}

}  // namespace

TemporaryFile::TemporaryFile(std::string target, const std::string& shown_path)
    : target_(fs::absolute(target).string()), path_(name_beside(target_)) {
  sweep(target_);
  lock_.emplace(WriterLock::create(path_, shown_path));
  slot_ = remember(path_);
}

TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) remove_with_journals(path_);
  forget(slot_);
}

int TemporaryFile::place(bool replace) {
  int failed = renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target_.c_str(), replace ? 0 : RENAME_NOREPLACE);
  if (failed && errno == EINVAL) failed = rename(path_.c_str(), target_.c_str());  // unknown to the file system
  if (failed) return errno;
  forget(std::exchange(slot_, -1));
  path_.clear();
  return 0;
}

void remove_temporary_files() noexcept {
  for (Slot& slot : slots) {
    if (!slot.named) continue;
    unlink(slot.name.data());
    char* const end = slot.name.data() + std::strlen(slot.name.data());
    for (const char* journal : kJournals) {
      std::strcpy(end, journal);
      unlink(slot.name.data());
      *end = 0;
    }
  }
}

}  // namespace mbnn
