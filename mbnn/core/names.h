// Names of an enumeration's values: one list, for files, options and messages. It stands beside the enumeration,
//   constexpr auto enum_names(Rule) { return std::array{"uniform", "reciprocal", "linear"}; }
// in the order of the values.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "mbnn/core/error.h"

namespace mbnn {

template <class Enum>
concept Named = requires(Enum value) {
  enum_names(value);
};

template <Named Enum>
std::vector<std::string> names_of() {
  constexpr auto names = enum_names(Enum{});
  return {names.begin(), names.end()};
}

template <Named Enum>
std::string name_of(Enum value) {
  return enum_names(value).at(static_cast<std::size_t>(value));
}

// named<Rule>("linear", "birth"); throws InputError for a name that is not there.
template <Named Enum>
Enum named(std::string_view name, std::string_view what) {
  constexpr auto names = enum_names(Enum{});
  for (std::size_t i = 0; i < names.size(); ++i)
    if (name == names[i]) return static_cast<Enum>(i);
  throw InputError(fmt::format("{} '{}': expected one of {}", what, name, fmt::join(names, ", ")));
}

}  // namespace mbnn
