// Numbers as people write them: currencies, percent, units, thousands; and the one way in which a column writes them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace mbnn {

// How the cells of a column spell their numbers. The unit is no part of the value: 12.5% is 12.5.
struct NumberFormat {
  char decimal = '.';
  char group = 0;              // between thousands: , . ' or a blank of any width; 0: none, as programs write numbers
  std::string unit = {};       // "$", "EUR", "%", "kg"; before or behind the number
  bool unit_optional = false;  // cells without it count, too; else only a zero may lack it

  // Whether cells are as programs write them, so that a column of them is read without regard to its format.
  bool plain() const { return group == 0 && unit.empty(); }
  // The number that a cell spells in this format; none for any other spelling.
  std::optional<double> read(std::string_view cell) const;

  nlohmann::json to_json() const;
  static NumberFormat from_json(const nlohmann::json& json);
  bool operator==(const NumberFormat&) const = default;
};

// A cell taken apart: -$1,234.50 is negative, has the digits 1,234.50 and the unit $. Parentheses and a trailing minus
// are signs, too.
struct WrittenNumber {
  bool negative = false;
  std::string digits;  // with all that stands between them; blanks of any width as ' '
  std::string unit;
};
std::optional<WrittenNumber> take_apart(std::string_view cell);

// The value of digits if their decimal sign is `decimal` and thousands are parted by `group`, or not at all.
std::optional<double> value_of_digits(std::string_view digits, char decimal, char group);

// Units are the same in any case and number, "kg" and "Kg", "day" and "days", but for single letters: m, M.
bool same_unit(std::string_view a, std::string_view b);

// $, EUR, US$: what is money.
bool is_currency(std::string_view unit);

}  // namespace mbnn
