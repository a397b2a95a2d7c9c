// A file that appears under its name only when it is complete.
#pragma once

#include <cstdio>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/mbnn/verbs.h"
#include "mbnn/store/temporary_file.h"

namespace mbnn::app {

// InputError if the file to write is one that is read.
void refuse_input_as_output(const std::string& out, const std::vector<std::string>& inputs);

// Written beside the target and renamed into place; on an error the target stays as it was.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  void print(std::string_view text);
  void place();
  // Where to speak of it without getting into it.
  std::FILE* messages() const;
  // Once it is in place: what was written, as JSON or, unless it was to be seen at once, as text: how many rows, or
  // what else is counted.
  void report(const nlohmann::json& what, const Common& common, std::string_view counted = "rows") const;

 private:
  [[noreturn]] void fail(int error) const;
  std::string path_;
  std::optional<TemporaryFile> temporary_;  // none if it is written in place
  std::FILE* file_ = nullptr;
};

}  // namespace mbnn::app
