#include "mbnn/core/text.h"

#include <fmt/format.h>

namespace mbnn {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

namespace {

std::string escaped(std::string_view text, bool keep_lines) {
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = [&](std::size_t ahead) {
      return i + ahead < text.size() ? static_cast<unsigned char>(text[i + ahead]) : 0u;
    };
    const unsigned first = byte(0), second = byte(1), third = byte(2);
    if ((first < 0x20 && !(keep_lines && first == '\n')) || first == 0x7f) {
      shown += fmt::format("\\x{:02x}", first);
    } else if (first == 0xc2 && second >= 0x80 && second < 0xa0) {  // U+0080 to U+009F
      shown += fmt::format("\\x{:02x}", second);
      ++i;
    } else if (first == 0xe2 && ((second == 0x80 && third >= 0xaa && third <= 0xae) ||   // U+202A to U+202E
                                 (second == 0x81 && third >= 0xa6 && third <= 0xa9))) {  // U+2066 to U+2069
      shown += fmt::format("\\u20{:02x}", (second - 0x80) * 0x40 + (third - 0x80));
      i += 2;
    } else {
      shown += text[i];
    }
  }
  return shown;
}

}  // namespace

std::string visible(std::string_view text) { return escaped(text, false); }
std::string visible_lines(std::string_view text) { return escaped(text, true); }

std::string csv_cell(std::string_view text, char separator) {
  const bool plain = text.find(separator) == text.npos && text.find_first_of("\"\n\r") == text.npos;
  if (plain) return std::string(text);
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += c;
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace mbnn
