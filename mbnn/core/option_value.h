// The value of an option without its type: how it is shown, read from text, bounded, stored as JSON and read back.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mbnn/core/error.h"
#include "mbnn/core/json_values.h"
#include "mbnn/core/names_json.h"

namespace mbnn {

struct OptionValue {
  std::string kind;                               // as the help shows it: "N", "on|off"; empty for a flag
  std::vector<std::string> choices;               // the words, if it is one of some
  std::function<std::string()> show;              // empty if there is nothing to show
  std::function<void(const std::string&)> parse;  // throws InputError that says what was expected
  std::function<void()> clear;                    // of a list, which may be given several times: before the first
  std::function<double()> number;                 // of a number
  std::function<nlohmann::json()> get;
  std::function<void(const nlohmann::json&)> set;

  bool flag() const { return kind.empty(); }
};

// The whole text as a number; throws InputError, "expected a whole number".
std::int64_t parse_integer(const std::string& text);
std::uint64_t parse_count(const std::string& text);  // not negative
double parse_real(const std::string& text);
// a, b,"c,d": names with commas between them, in quotation marks if they have some themselves, or blanks around them.
std::vector<std::string> parse_names(const std::string& text);
std::string show_names(const std::vector<std::string>& names);
std::vector<std::size_t> parse_counts(const std::string& text);  // 100,100
// "a, b or c"
std::string one_of(const std::vector<std::string>& words);
// The place of a word in a list; throws InputError that names the list.
std::size_t parse_choice(const std::string& text, const std::vector<std::string>& words);

// What `parse` returns; what it throws says that `words` were expected.
template <class Parse>
auto expecting(const char* words, Parse parse) {
  try {
    return parse();
  } catch (const InputError&) {
    throw InputError(fmt::format("expected {}", words));
  }
}

// Values of which there are two, by their words; a flag, which sets `value` to `given`.
OptionValue words_value(bool& value, const std::string& off, const std::string& on);
OptionValue flag_value(bool& value, bool given = true);
// The first as long as `holds`, else the second: an option that several methods have, each with a value of its own.
OptionValue either(std::function<bool()> holds, OptionValue first, OptionValue second);

template <class T>
OptionValue stored_value(T& value) {
  OptionValue v;
  v.get = [&value] { return nlohmann::json(value); };
  v.set = [&value](const nlohmann::json& json) { value = value_in<T>(json); };
  return v;
}

// An enumeration, of whose values the last ones may be left out.
template <Named Enum>
OptionValue choice_value(Enum& value, std::size_t count = names_of<Enum>().size()) {
  OptionValue v = stored_value(value);
  v.choices = names_of<Enum>();
  v.choices.resize(count);
  v.kind = fmt::format("{}", fmt::join(v.choices, "|"));
  v.show = [&value] { return name_of(value); };
  v.parse = [&value, words = v.choices](const std::string& text) {
    value = static_cast<Enum>(parse_choice(text, words));
  };
  return v;
}

template <Named Enum>
OptionValue value_of(Enum& value) {
  return choice_value(value);
}

inline OptionValue value_of(bool& value) { return words_value(value, "off", "on"); }

OptionValue value_of(std::int64_t& value);
OptionValue value_of(std::uint64_t& value);  // a count: not negative
OptionValue value_of(double& value);
OptionValue value_of(std::string& value);
OptionValue value_of(std::vector<std::string>& value);
OptionValue value_of(std::vector<std::size_t>& value);

// The word stands for "not given": in text, shown and understood; in JSON it is null.
template <class T>
OptionValue value_of(std::optional<T>& value, const std::string& none) {
  OptionValue v;
  T scratch{};
  v.kind = value_of(scratch).kind;
  v.choices = value_of(scratch).choices;
  v.show = [&value, none] { return value ? value_of(*value).show() : none; };
  v.parse = [&value, none](const std::string& text) {
    T parsed{};
    if (text != none) value_of(parsed).parse(text);
    if (text == none)
      value.reset();
    else
      value = parsed;
  };
  if constexpr (std::is_arithmetic_v<T>) v.number = [&value] { return static_cast<double>(value.value_or(T{1})); };
  v.get = [&value] { return value ? nlohmann::json(*value) : nlohmann::json(nullptr); };
  v.set = [&value](const nlohmann::json& json) {
    if (json.is_null())
      value.reset();
    else
      value = value_in<T>(json);
  };
  return v;
}

}  // namespace mbnn
