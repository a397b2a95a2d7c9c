// What one cell of a text table says: a number, nothing, or text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mbnn {

// Empty, ?, and in any case NA, N/A, NaN, null.
bool is_missing(std::string_view cell);

// What stands for a missing number, though it may be a category among texts: none, #N/A, a point, dashes.
bool is_blank_number(std::string_view cell);

// Further words for that, such as unknown and n/a?, and what spreadsheets write for an error.
bool is_missing_word(std::string_view cell);

// 01234: three digits or more, of which the first is zero, as codes have them.
bool is_code(std::string_view cell);

// The number that the whole cell spells; "nan" gives NaN, and "inf" or "1e999" an infinity, which callers judge.
std::optional<double> parse_number(std::string_view cell, char decimal_point = '.');

// What an error says of an infinity; `place` is "data.csv, line 7, column 'age'".
std::string infinite_cell(std::string_view place, std::string_view cell);

// Whole numbers without a point ("2"), others in the fewest digits that read back to the same double.
std::string format_number(double value);

}  // namespace mbnn
