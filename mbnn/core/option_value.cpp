#include "mbnn/core/option_value.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "mbnn/core/text.h"

namespace mbnn {

namespace {

template <class Number>
Number parse_number(std::string_view text, const char* expected) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  if (const auto value = number_in<Number>(text)) return *value;
  const bool digits = text.find_first_not_of("-0123456789") == text.npos;
  throw InputError(digits && !text.empty() ? "is out of all bounds" : fmt::format("expected {}", expected));
}

}  // namespace

std::int64_t parse_integer(const std::string& text) { return parse_number<std::int64_t>(text, "a whole number"); }

std::uint64_t parse_count(const std::string& text) {
  if (number_in<std::int64_t>(text).value_or(0) < 0) throw InputError("must not be negative");
  return parse_number<std::uint64_t>(text, "a whole number");
}

double parse_real(const std::string& text) { return parse_number<double>(text, "a number"); }

std::vector<std::string> parse_names(const std::string& text) {
  std::vector<std::string> names(1);
  bool quoted = false;
  std::size_t kept = 0;  // of the last name: blanks behind that are between names
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool twice = text[i] == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"';
    if (text[i] == '"' && !twice && (quoted || names.back().empty())) {
      quoted = !quoted;
      kept = names.back().size();
    } else if (text[i] == ',' && !quoted) {
      names.back().resize(kept);
      names.emplace_back();
      kept = 0;
    } else if (text[i] != ' ' || quoted || !names.back().empty()) {
      names.back() += text[i];
      if (text[i] != ' ' || quoted) kept = names.back().size();
      i += twice;
    }
  }
  names.back().resize(kept);
  if (quoted || std::ranges::find(names, "") != names.end())
    throw InputError("expected names with commas between them, a,b or \"a,b\" for one that has a comma");
  return names;
}

std::string show_names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += ',';
    text += csv_cell(name);
  }
  return text;
}

namespace {

template <class Number>
std::vector<Number> parse_list(const std::string& text, Number (*parse)(const std::string&), const char* expected) {
  std::vector<Number> numbers;
  for (const std::string& part : split(text, ',')) numbers.push_back(parse(part));
  if (numbers.empty()) throw InputError(fmt::format("expected {}", expected));
  return numbers;
}

}  // namespace

std::vector<std::size_t> parse_counts(const std::string& text) {
  return parse_list<std::uint64_t>(text, parse_count, "a whole number");
}

std::vector<double> parse_reals(const std::string& text) { return parse_list(text, parse_real, "a number"); }

std::string one_of(const std::vector<std::string>& words) {
  if (words.size() < 2) return words.empty() ? "" : words.front();
  return fmt::format("{} or {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

std::size_t parse_choice(const std::string& text, const std::vector<std::string>& words) {
  const auto found = std::ranges::find(words, text);
  if (found == words.end()) throw InputError(fmt::format("expected {}", one_of(words)));
  return static_cast<std::size_t>(found - words.begin());
}

OptionValue words_value(bool& value, const std::string& off, const std::string& on) {
  OptionValue v = stored_value(value);
  v.choices = {on, off};
  v.kind = on + "|" + off;
  v.show = [&value, off, on] { return value ? on : off; };
  v.parse = [&value, words = v.choices](const std::string& text) { value = parse_choice(text, words) == 0; };
  return v;
}

OptionValue flag_value(bool& value, bool given) {
  OptionValue v = stored_value(value);
  v.show = [] { return std::string(); };
  v.parse = [&value, given](const std::string& text) {
    if (!text.empty()) throw InputError("expected nothing behind it");
    value = given;
  };
  return v;
}

OptionValue either(std::function<bool()> holds, OptionValue first, OptionValue second) {
  const auto chosen = [holds = std::move(holds), first, second]() -> const OptionValue& {
    return holds() ? first : second;
  };
  OptionValue v = first;
  v.show = [chosen] { return chosen().show(); };
  v.parse = [chosen](const std::string& text) { chosen().parse(text); };
  v.number = [chosen] { return chosen().number(); };
  v.get = {};  // each is stored in a place of its own
  v.set = {};
  return v;
}

namespace {

template <class Number>
OptionValue number_value(Number& value, std::string kind, Number (*parse)(const std::string&)) {
  OptionValue v = stored_value(value);
  v.kind = std::move(kind);
  v.show = [&value] { return fmt::format("{}", value); };
  v.number = [&value] { return static_cast<double>(value); };
  v.parse = [&value, parse](const std::string& text) { value = parse(text); };
  return v;
}

}  // namespace

OptionValue value_of(std::int64_t& value) { return number_value(value, "N", parse_integer); }
OptionValue value_of(std::uint64_t& value) { return number_value(value, "N", parse_count); }
OptionValue value_of(double& value) { return number_value(value, "X", parse_real); }

OptionValue value_of(std::string& value) {
  OptionValue v = stored_value(value);
  v.kind = "TEXT";
  v.show = [&value] { return value; };
  v.parse = [&value](const std::string& text) {
    if (text.empty()) throw InputError("expected a name");
    value = text;
  };
  return v;
}

OptionValue value_of(std::vector<std::string>& value) {
  OptionValue v = stored_value(value);
  v.kind = "NAMES";
  v.show = [&value] { return show_names(value); };
  v.parse = [&value](const std::string& text) {
    for (std::string& name : parse_names(text)) value.push_back(std::move(name));
  };
  v.clear = [&value] { value.clear(); };
  return v;
}

namespace {

template <class Number>
OptionValue list_value(std::vector<Number>& value, std::string kind, std::vector<Number> (*parse)(const std::string&)) {
  OptionValue v = stored_value(value);
  v.kind = std::move(kind);
  v.show = [&value] { return fmt::format("{}", fmt::join(value, ",")); };
  v.parse = [&value, parse](const std::string& text) {
    for (const Number n : parse(text)) value.push_back(n);
  };
  v.clear = [&value] { value.clear(); };
  return v;
}

}  // namespace

OptionValue value_of(std::vector<std::size_t>& value) { return list_value(value, "N", parse_counts); }
OptionValue value_of(std::vector<double>& value) { return list_value(value, "X,...", parse_reals); }

}  // namespace mbnn
