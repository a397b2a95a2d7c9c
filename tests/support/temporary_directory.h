// A directory of a test's own, which goes with it.
#pragma once

#include <string>

namespace mbnn {

class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Whole files, byte by byte.
std::string file_bytes(const std::string& path);
void write_bytes(const std::string& path, const std::string& bytes);
void write_gzip(const std::string& path, const std::string& bytes);  // compressed

}  // namespace mbnn
