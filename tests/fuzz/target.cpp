#include "tests/fuzz/target.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace mbnn::fuzz {

const std::string& scratch_directory() {
  static const struct Directory {
    std::string path;
    Directory() {
      const char* memory = "/dev/shm";
      const std::filesystem::path base = std::filesystem::is_directory(memory) ? std::filesystem::path(memory)
                                                                               : std::filesystem::temp_directory_path();
      path = (base / ("mbnn-fuzz-" + std::to_string(getpid()))).string();
      std::filesystem::create_directories(path);
    }
    ~Directory() {
      std::error_code none;
      std::filesystem::remove_all(path, none);
    }
  } directory;
  return directory.path;
}

void write_file(const std::string& path, Bytes content) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
  if (!file.flush()) finding("the scratch directory is full");
}

void finding(const std::string& text) {
  std::fprintf(stderr, "finding: %s\n", text.c_str());
  std::abort();
}

}  // namespace mbnn::fuzz
