#include "tests/support/temporary_directory.h"

#include <zlib.h>

#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "mbnn/core/error.h"

namespace mbnn {

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern = (std::filesystem::temp_directory_path() / "mbnn-test-XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw Error("mkdtemp failed");
  path_ = pattern;
  chmod(path_.c_str(), 0755);  // children that give up root must be able to enter
}

TemporaryDirectory::~TemporaryDirectory() {
  chmod(path_.c_str(), 0755);
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string file_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

void write_gzip(const std::string& path, const std::string& bytes) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
}

}  // namespace mbnn
