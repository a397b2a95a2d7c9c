// A text file that appears under its name only when it is complete.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace mbnn::app {

// Written beside the target and renamed into place; on an error the target stays as it was.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  void print(std::string_view text);
  void place();

 private:
  [[noreturn]] void fail(int error) const;
  std::string path_, target_, temporary_;
  bool in_place_ = false;
  std::FILE* file_ = nullptr;
};

}  // namespace mbnn::app
