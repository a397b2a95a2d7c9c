// Rows of named cells as lines of text: CSV, or JSON with an object a line.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mbnn/core/options.h"

namespace mbnn::app {

enum class Format { csv, jsonl };
constexpr auto enum_names(Format) { return std::array{"csv", "jsonl"}; }

// What was asked for, or what the name of the file ends in: .jsonl and .ndjson; CSV otherwise.
Format format_of(const std::optional<Format>& asked, const std::string& path);
void declare_format(OptionList& options, std::optional<Format>& format);

class RowFormat {
 public:
  RowFormat(Format format, std::vector<std::string> columns);

  std::string header() const;  // empty for JSON

  // One line, cell by cell in the order of the columns.
  class Line {
   public:
    explicit Line(const RowFormat& format) : format_(format) {}
    void add(std::string_view text);
    void add(double number, int digits = 9);
    std::string finish();

   private:
    void add_token(std::string_view token);
    const RowFormat& format_;
    std::string text_;
    std::size_t column_ = 0;
  };

 private:
  Format format_;
  std::vector<std::string> columns_;  // as they are written
};

}  // namespace mbnn::app
