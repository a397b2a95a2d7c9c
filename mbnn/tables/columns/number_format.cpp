#include "mbnn/tables/columns/number_format.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "mbnn/core/error.h"
#include "mbnn/tables/columns/cell.h"

namespace mbnn {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
// The bytes of characters beyond ASCII count: units are µm and °C, too.
bool is_letter(char c) { return is_upper(c) || is_lower(c) || static_cast<unsigned char>(c) >= 0x80; }

// Longer ones before those that they begin with.
constexpr std::array<std::string_view, 31> currency_signs{
    "US$",    "AU$",    "CA$",    "NZ$",    "HK$",    "A$",     "C$",     "R$",      "S$",     "$",      "\u20ac",
    "\u00a3", "\u00a5", "\u20b9", "\u20bd", "\u20a9", "\u20ba", "\u20aa", "\u20ab",  "\u0e3f", "\u20b4", "\u20a6",
    "\u00a2", "Rs.",    "Rs",     "Fr.",    "SFr.",   "kr.",    "kr",     "z\u0142", "K\u010d"};
constexpr std::string_view currency_codes =
    "AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR JPY KES KRW MXN MYR NGN NOK NZD "
    "PEN PHP PKR PLN RON RUB SAR SEK SGD THB TRY TWD UAH USD VND ZAR ";

bool is_currency_code(std::string_view text) {
  return text.size() == 3 && std::all_of(text.begin(), text.end(), is_upper) &&
         currency_codes.find(std::string(text) + ' ') != currency_codes.npos;
}

// Blanks, minus signs and apostrophes that are not ASCII become those that are.
std::string plain_signs(std::string_view cell) {
  constexpr std::array<std::pair<std::string_view, char>, 6> signs{
      {{"\u00a0", ' '}, {"\u202f", ' '}, {"\u2009", ' '}, {"\u2007", ' '}, {"\u2212", '-'}, {"\u2019", '\''}}};
  std::string text;
  text.reserve(cell.size());
  while (!cell.empty()) {
    const auto sign =
        std::find_if(signs.begin(), signs.end(), [&](const auto& s) { return cell.starts_with(s.first); });
    text += sign == signs.end() ? cell.front() : sign->second;
    cell.remove_prefix(sign == signs.end() ? 1 : sign->first.size());
  }
  return text;
}

void trim(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
}

bool take_sign(std::string_view& text, bool& seen, bool& negative) {
  if (seen || text.empty() || (text.front() != '-' && text.front() != '+')) return false;
  seen = true;
  negative = text.front() == '-';
  text.remove_prefix(1);
  trim(text);
  return true;
}

std::string take_currency(std::string_view& text) {
  std::string_view found;
  for (const std::string_view sign : currency_signs)
    if (found.empty() && text.starts_with(sign)) found = sign;
  if (found.empty() && text.size() > 3 && !is_letter(text[3]) && is_currency_code(text.substr(0, 3)))
    found = text.substr(0, 3);
  text.remove_prefix(found.size());
  const std::string currency(found);
  trim(text);
  return currency;
}

// Digits, and the signs between them; an exponent behind them.
std::string_view take_digits(std::string_view& text) {
  std::size_t end = 0;
  const auto digit_at = [&](std::size_t i) { return i < text.size() && is_digit(text[i]); };
  for (bool digits = false; end < text.size(); ++end) {
    const char c = text[end];
    if (is_digit(c)) {
      digits = true;
    } else if ((c == ' ' || c == '\'') ? !(digits && digit_at(end + 1)) : (c != '.' && c != ',')) {
      break;
    }
  }
  if (end > 0 && end < text.size() && (text[end] | 32) == 'e') {
    std::size_t exponent = end + 1;
    if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
    const std::size_t first = exponent;
    while (digit_at(exponent)) ++exponent;
    if (exponent > first) end = exponent;
  }
  const std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  return std::any_of(digits.begin(), digits.end(), is_digit) ? digits : std::string_view();
}

// A word such as kg, km/h or %; one with digits (m2) only apart from the number, for 0x1F is none.
bool is_unit(std::string_view text, bool apart, bool behind_currency) {
  constexpr std::size_t longest = 16;
  if (text.empty() || text.size() > longest) return text.empty();
  if (!is_letter(text[0]) && text[0] != '%' && !(behind_currency && text[0] == '/')) return is_currency(text);
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return is_letter(c) || c == '%' || c == '/' || c == '.' || c == '$' || (apart && (is_digit(c) || c == '^'));
  });
}

}  // namespace

std::optional<WrittenNumber> take_apart(std::string_view cell) {
  constexpr std::size_t longest = 60;
  if (cell.empty() || cell.size() > longest) return {};
  const std::string whole = plain_signs(cell);
  std::string_view text = whole;
  WrittenNumber number;
  bool sign = false, parentheses = false;
  const auto take_parentheses = [&] {
    trim(text);
    if (sign || parentheses || text.size() < 3 || text.front() != '(' || text.back() != ')') return;
    text = text.substr(1, text.size() - 2);
    sign = parentheses = number.negative = true;
    trim(text);
  };
  take_parentheses();
  take_sign(text, sign, number.negative);
  number.unit = take_currency(text);
  take_sign(text, sign, number.negative);
  take_parentheses();
  number.digits = take_digits(text);
  if (number.digits.empty()) return {};
  const auto trailing_minus = [&] {
    if (sign || text.empty() || text.back() != '-') return;
    text.remove_suffix(1);
    sign = number.negative = true;
    trim(text);
  };
  const bool apart = !text.empty() && text.front() == ' ';
  trim(text);
  trailing_minus();
  if (!sign && text.starts_with("- ")) {  // 12- €
    text.remove_prefix(1);
    sign = number.negative = true;
    trim(text);
  }
  if (!is_unit(text, apart, !number.unit.empty())) return {};
  number.unit += text;
  return number;
}

std::optional<double> value_of_digits(std::string_view digits, char decimal, char group) {
  std::string plain;
  plain.reserve(digits.size());
  std::size_t run = 0, first_run = 0, runs = 0;  // digits since the last sign between thousands; the first such run
  bool short_runs = false, long_runs = false;    // of two digits in lakhs, 12,34,567; of three
  std::size_t at = 0;
  for (; at < digits.size() && (is_digit(digits[at]) || digits[at] == group); ++at) {
    if (is_digit(digits[at])) {
      ++run;
      plain += digits[at];
      continue;
    }
    if (runs == 0) {
      first_run = run;
      if (run < 1 || run > 3 || digits[0] == '0') return {};
    } else {
      short_runs = short_runs || run == 2;
      long_runs = long_runs || run == 3;
      if ((run != 2 && run != 3) || (short_runs && long_runs)) return {};
    }
    ++runs;
    run = 0;
  }
  if (runs > 0 && (run != 3 || (short_runs && (group != ',' || first_run > 2)))) return {};
  if (at < digits.size() && digits[at] == decimal) {
    plain += '.';
    for (++at; at < digits.size() && is_digit(digits[at]); ++at) plain += digits[at];
  }
  if (at < digits.size()) {  // an exponent: never beside thousands
    if (runs > 0 || (digits[at] | 32) != 'e') return {};
    plain += digits.substr(at);
  }
  return parse_number(plain);
}

bool same_unit(std::string_view a, std::string_view b) {
  const auto stem = [](std::string_view unit) {
    if (unit.size() > 3 && unit.back() == 's' && is_lower(unit[unit.size() - 2])) unit.remove_suffix(1);
    return unit;
  };
  if (a == b) return true;
  if (a.size() < 2 || b.size() < 2) return false;
  a = stem(a);
  b = stem(b);
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return (is_upper(x) ? x - 'A' + 'a' : x) == (is_upper(y) ? y - 'A' + 'a' : y);
  });
}

bool is_currency(std::string_view unit) {
  return std::find(currency_signs.begin(), currency_signs.end(), unit) != currency_signs.end() ||
         is_currency_code(unit);
}

std::optional<double> NumberFormat::read(std::string_view cell) const {
  if (plain()) {
    const auto number = parse_number(cell);
    return number || decimal == '.' ? number : parse_number(cell, decimal);
  }
  const auto written = take_apart(cell);
  if (!written) return {};
  auto value = value_of_digits(written->digits, decimal, group);
  if (!value) return {};
  const bool lacks_unit = written->unit.empty() && !unit.empty();
  if (lacks_unit ? !unit_optional && *value != 0 : !same_unit(written->unit, unit)) return {};
  return written->negative ? -*value : *value;
}

nlohmann::json NumberFormat::to_json() const {
  nlohmann::json json{
      {"decimal", std::string(1, decimal)}, {"group", group ? std::string(1, group) : ""}, {"unit", unit}};
  if (unit_optional) json["unit_optional"] = true;
  return json;
}

NumberFormat NumberFormat::from_json(const nlohmann::json& json) {
  const auto sign = [&](const char* name, std::string_view known) {
    const auto text = json.at(name).get<std::string>();
    if (text.size() > 1 || known.find(text) == known.npos)
      throw Error(fmt::format("a stored number format is damaged: {} is '{}'", name, text));
    return text.empty() ? '\0' : text[0];
  };
  NumberFormat format;
  format.decimal = sign("decimal", ".,") == ',' ? ',' : '.';
  format.group = sign("group", ",.' ");
  format.unit = json.at("unit").get<std::string>();
  format.unit_optional = json.value("unit_optional", false);
  return format;
}

}  // namespace mbnn
