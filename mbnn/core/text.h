// Small pieces of text: numbers in it, its parts, and text as a cell of a CSV file. Nothing depends on the locale.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace mbnn {

// The number that the text is, from its first character to its last; none if a number of that type is anything less.
// For double, "inf" and "nan" are numbers.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

// The parts between the separators: "a,,b" has three, "a," has two, the second of them empty. Empty text has none.
std::vector<std::string> split(std::string_view text, char separator);

// What a terminal would obey instead of showing it, such as control characters and marks of direction, as "\\x1b" or
// "\\u202e". Ends of lines stay only on demand.
std::string visible(std::string_view text);
std::string visible_lines(std::string_view text);

// In quotes if it must be: with a separator, a quote or the end of a line in it. Quotes within are doubled.
std::string csv_cell(std::string_view text, char separator = ',');

}  // namespace mbnn
