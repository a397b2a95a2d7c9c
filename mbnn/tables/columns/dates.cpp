// Reading one date: its parts are told apart by their digits and letters.
#include "mbnn/tables/columns/dates.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace mbnn {
namespace {

struct Part {
  std::string_view text;
  char before = 0;  // the sign in front of it
  bool number() const {
    return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
  }
  int value() const {
    int result = 0;
    std::from_chars(text.data(), text.data() + text.size(), result);
    return result;
  }
};

// Days from 1970-01-01 (Hinnant's algorithm for the proleptic Gregorian calendar).
std::int64_t days(int year, int month, int day) {
  const std::int64_t y = year - (month <= 2), era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
  const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

int days_in_month(int year, int month) {
  return static_cast<int>(days(month == 12 ? year + 1 : year, month == 12 ? 1 : month + 1, 1) - days(year, month, 1));
}

int month_of_name(std::string_view text) {
  static constexpr std::array<std::string_view, 12> names{"january",   "february", "march",    "april",
                                                          "may",       "june",     "july",     "august",
                                                          "september", "october",  "november", "december"};
  if (text.size() < 3) return 0;
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].starts_with(lower)) return static_cast<int>(i) + 1;
  return 0;
}

// "12:30", "12:30:15", "12:30:15.000Z"
std::optional<std::int64_t> second_of_day(std::string_view text) {
  if (text.ends_with('Z')) text.remove_suffix(1);
  if (const auto point = text.find('.'); point != text.npos) {
    if (text.find_first_not_of('0', point + 1) != text.npos) return {};  // fractions of a second are no grid
    text = text.substr(0, point);
  }
  std::array<int, 3> parts{};
  std::size_t count = 0;
  for (std::size_t at = 0; at <= text.size() && count < 3;) {
    const std::size_t end = std::min(text.find(':', at), text.size());
    const Part part{text.substr(at, end - at)};
    if (part.text.empty() || part.text.size() > 2 || !part.number()) return {};
    parts[count++] = part.value();
    at = end + 1;
    if (end == text.size()) break;
    if (count == 3) return {};
  }
  if (count < 2 || parts[0] > 23 || parts[1] > 59 || parts[2] > 59) return {};
  return parts[0] * 3600 + parts[1] * 60 + parts[2];
}

std::optional<Moment> checked(Moment moment) {
  if (moment.year < 1 || moment.month < 1 || moment.month > 12 || moment.day < 1) return {};
  if (moment.day > days_in_month(moment.year, moment.month)) return {};
  return moment;
}

std::optional<Moment> parse_digits(std::string_view text, DayOrder order) {
  std::int64_t number = 0;
  // A whole number that a program took for a fraction.
  if (const auto point = text.find('.');
      point != text.npos && point + 1 < text.size() && text.find_first_not_of('0', point + 1) == text.npos)
    text = text.substr(0, point);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  if (text.size() == 8 && number > 0) {
    const int value = static_cast<int>(number);
    if (auto date = checked({Moment::Kind::day, 0, value / 10000, value / 100 % 100, value % 100, 0})) return date;
  }
  if (order == DayOrder::year_month && text.size() == 6 && number >= 190001 && number <= 209912) {
    const int value = static_cast<int>(number);
    if (auto month = checked({Moment::Kind::month, 0, value / 100, value % 100, 1, 0})) return month;
  }
  Moment moment;
  moment.count = number;
  return moment;
}

std::optional<Moment> parse_quarter(std::string_view text) {
  const auto q = text.find_first_of("qQ");
  if (q == text.npos || q + 2 != text.size() || text[q + 1] < '1' || text[q + 1] > '4') return {};
  std::string_view year = text.substr(0, q);
  while (!year.empty() && (year.back() == '-' || year.back() == ' ' || year.back() == '/')) year.remove_suffix(1);
  const Part part{year};
  if (year.size() != 4 || !part.number()) return {};
  return checked({Moment::Kind::month, 0, part.value(), 3 * (text[q + 1] - '1') + 1, 1, 0});
}

}  // namespace

std::int64_t Moment::seconds() const { return days(year, month, day) * 86400 + second; }

bool Moment::last_of_month() const { return day == days_in_month(year, month); }

std::optional<Moment> parse_moment(std::string_view text, DayOrder order) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  if (text.empty() || text.size() > 40) return {};
  if (auto digits = parse_digits(text, order)) return digits;
  if (auto quarter = parse_quarter(text)) return quarter;

  Moment moment{Moment::Kind::day, 0, 0, 0, 0, 0};
  if (const auto colon = text.find(':'); colon != text.npos) {
    const auto gap = text.find_last_of("T ", colon);
    if (gap == text.npos) return {};
    const auto second = second_of_day(text.substr(gap + 1));
    if (!second) return {};
    moment.second = *second;
    text = text.substr(0, gap);
  }

  std::vector<Part> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_not_of(" -/.,", at);
    if (begin == text.npos) break;
    const std::size_t end = std::min(text.find_first_of(" -/.,", begin), text.size());
    parts.push_back({text.substr(begin, end - begin), begin > 0 ? text[begin - 1] : '\0'});
    at = end;
  }
  if (parts.size() < 2 || parts.size() > 3) return {};
  std::vector<Part> numbers;
  for (const Part& part : parts) {
    if (part.number() && part.text.size() <= 4) {
      numbers.push_back(part);
    } else if (const int month = month_of_name(part.text); month > 0 && moment.month == 0) {
      moment.month = month;
    } else {
      return {};
    }
  }
  const auto is_year = [](const Part& part) { return part.text.size() == 4; };
  const auto year = std::find_if(numbers.begin(), numbers.end(), is_year);
  if (year == numbers.end() || std::count_if(numbers.begin(), numbers.end(), is_year) != 1) return {};
  moment.year = year->value();
  const bool year_first = year == numbers.begin();
  numbers.erase(year);
  if (moment.month > 0) {  // by name
    moment.day = numbers.empty() ? 1 : numbers[0].value();
    if (numbers.empty()) moment.kind = Moment::Kind::month;
    return checked(moment);
  }
  if (numbers.size() == 1) {  // 2021-03 or 03/2021
    moment.kind = Moment::Kind::month;
    moment.month = numbers[0].value();
    moment.day = 1;
    return checked(moment);
  }
  bool month_first = true;
  if (!year_first) {
    if (parts[1].before == '.') order = DayOrder::day_first;
    if (order == DayOrder::unknown) return {};
    month_first = order == DayOrder::month_first;
  }
  moment.month = numbers[month_first ? 0 : 1].value();
  moment.day = numbers[month_first ? 1 : 0].value();
  return checked(moment);
}

}  // namespace mbnn
