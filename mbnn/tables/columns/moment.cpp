// Reading one date: its parts are told apart by their digits and letters.
#include "mbnn/tables/columns/moment.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "mbnn/core/text.h"
#include "mbnn/tables/columns/cell.h"

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

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

int month_of_name(std::string_view text) {
  static constexpr std::array<std::string_view, 12> names{"january",   "february", "march",    "april",
                                                          "may",       "june",     "july",     "august",
                                                          "september", "october",  "november", "december"};
  if (text.size() < 3) return 0;
  const std::string lower = lower_case(text);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].starts_with(lower)) return static_cast<int>(i) + 1;
  return 0;
}

bool is_weekday(std::string_view text) {
  static constexpr std::array<std::string_view, 7> names{"monday", "tuesday",  "wednesday", "thursday",
                                                         "friday", "saturday", "sunday"};
  const std::string lower = lower_case(text);
  return text.size() >= 3 && std::ranges::any_of(names, [&](std::string_view name) { return name.starts_with(lower); });
}

// Years of two digits, as strptime has them.
int full_year(const Part& part) {
  if (part.text.size() != 2) return part.value();
  return part.value() + (part.value() < 69 ? 2000 : 1900);
}

// Z, UTC, GMT, +02:00, +0200, +02 at the end of a time.
std::optional<int> take_offset(std::string_view& text) {
  for (const std::string_view name : {"Z", "z", "UTC", "GMT"}) {
    if (!text.ends_with(name)) continue;
    text.remove_suffix(name.size());
    while (text.ends_with(' ')) text.remove_suffix(1);
    return 0;
  }
  const auto sign = text.find_last_of("+-");
  if (sign == text.npos) return {};
  std::string digits(text.substr(sign + 1));
  if (digits.size() == 5 && digits[2] == ':') digits.erase(2, 1);
  const Part part{digits};
  if ((digits.size() != 2 && digits.size() != 4) || !part.number()) return {};
  const int number = digits.size() == 2 ? 100 * part.value() : part.value();
  if (number / 100 > 15 || number % 100 > 59) return {};
  const int offset = number / 100 * 3600 + number % 100 * 60;
  const bool behind = text[sign] == '-';
  text = text.substr(0, sign);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return behind ? -offset : offset;
}

// AM or PM at the end of a time: the hours that noon adds to it; -1 if there is neither.
int take_half_of_day(std::string_view& text) {
  for (const std::string_view name : {"am", "pm", "a.m.", "p.m."}) {
    if (text.size() <= name.size() || lower_case(text.substr(text.size() - name.size())) != name) continue;
    text.remove_suffix(name.size());
    while (text.ends_with(' ')) text.remove_suffix(1);
    return name[0] == 'p' ? 12 : 0;
  }
  return -1;
}

Moment moment_of(Moment::Kind kind, int year, int month, int day) {
  Moment moment;
  moment.kind = kind;
  moment.year = year;
  moment.month = month;
  moment.day = day;
  return moment;
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
    if (auto date = checked(moment_of(Moment::Kind::day, value / 10000, value / 100 % 100, value % 100))) return date;
  }
  if (order == DayOrder::year_month && text.size() == 6 && number >= 190001 && number <= 209912) {
    const int value = static_cast<int>(number);
    if (auto month = checked(moment_of(Moment::Kind::month, value / 100, value % 100, 1))) return month;
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
  return checked(moment_of(Moment::Kind::month, part.value(), 3 * (text[q + 1] - '1') + 1, 1));
}

}  // namespace

std::int64_t Moment::seconds() const { return days(year, month, day) * 86400 + second; }

bool Moment::last_of_month() const { return day == days_in_month(year, month); }

int Moment::weekday() const { return static_cast<int>(((days(year, month, day) + 3) % 7 + 7) % 7); }

double Moment::year_share() const {
  const auto past = static_cast<double>(days(year, month, day) - days(year, 1, 1));
  const auto all = static_cast<double>(days(year + 1, 1, 1) - days(year, 1, 1));
  return (past + (static_cast<double>(second) + fraction) / 86400) / all;
}

Moment Moment::at(double seconds) {
  const double whole = std::floor(seconds), day = std::floor(whole / 86400);
  // The same algorithm, the other way round.
  const std::int64_t z = static_cast<std::int64_t>(day) + 719468, era = (z >= 0 ? z : z - 146096) / 146097;
  const std::int64_t of_era = z - era * 146097;
  const std::int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const std::int64_t of_year = of_era - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;
  Moment moment = moment_of(Kind::day, 0, static_cast<int>(month + (month < 10 ? 3 : -9)),
                            static_cast<int>(of_year - (153 * month + 2) / 5 + 1));
  moment.year = static_cast<int>(year + era * 400) + (moment.month <= 2);
  moment.second = static_cast<std::int64_t>(whole - day * 86400);
  moment.fraction = seconds - whole;
  return moment;
}

std::optional<Moment> parse_time_of_day(std::string_view text) {
  Moment moment;
  moment.offset = take_offset(text);
  const int half = take_half_of_day(text);
  if (const auto point = text.find_first_of(".,"); point != text.npos) {
    const Part digits{text.substr(point + 1)};
    if (digits.text.empty() || !digits.number()) return {};
    moment.fraction = *parse_number("0." + std::string(digits.text));
    text = text.substr(0, point);
  }
  std::array<int, 3> parts{};
  std::size_t count = 0;
  for (const std::string& piece : split(text, ':')) {
    const Part part{piece};
    if (count == 3 || piece.empty() || piece.size() > 2 || !part.number()) return {};
    parts[count++] = part.value();
  }
  if (count < 2 || parts[0] > 23 || parts[1] > 59 || parts[2] > 59) return {};
  if (half >= 0) {
    if (parts[0] < 1 || parts[0] > 12) return {};
    parts[0] = parts[0] % 12 + half;
  }
  moment.second = parts[0] * 3600 + parts[1] * 60 + parts[2];
  return moment;
}

std::optional<Moment> parse_moment(std::string_view text, DayOrder order) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  if (text.empty() || text.size() > 40) return {};
  if (auto digits = parse_digits(text, order)) return digits;
  if (auto quarter = parse_quarter(text)) return quarter;

  Moment moment = moment_of(Moment::Kind::day, 0, 0, 0);
  if (const auto colon = text.find(':'); colon != text.npos) {
    const auto gap = text.find_last_of("T ", colon);
    if (gap == text.npos) return {};
    const auto time = parse_time_of_day(text.substr(gap + 1));
    if (!time) return {};
    moment.second = time->second;
    moment.fraction = time->fraction;
    moment.offset = time->offset;
    text = text.substr(0, gap);
  }

  std::vector<Part> parts, numbers;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_not_of(" -/.,", at);
    if (begin == text.npos) break;
    const std::size_t end = std::min(text.find_first_of(" -/.,", begin), text.size());
    const Part part{text.substr(begin, end - begin), begin > 0 ? text[begin - 1] : '\0'};
    if (!parts.empty() || !is_weekday(part.text)) parts.push_back(part);
    at = end;
  }
  if (parts.size() < 2 || parts.size() > 3) return {};
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
  auto year = std::find_if(numbers.begin(), numbers.end(), is_year);
  if (year == numbers.end()) {  // two digits, the last: 3/4/21, 4-Mar-21, Mar-21, but neither "Mar 21" nor 03-21
    const Part& last = parts.back();
    const bool named = moment.month > 0;
    const bool complete = parts.size() == 3 ? named || (last.before == parts[1].before && last.before != ' ')
                                            : named && last.before == '-';
    if (!complete || !last.number() || last.text.size() != 2) return {};
    year = numbers.end() - 1;
  } else if (std::count_if(numbers.begin(), numbers.end(), is_year) != 1) {
    return {};
  }
  moment.year = full_year(*year);
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

DateTally DateTally::of(std::span<const std::string_view> texts, std::span<const std::size_t> counts) {
  DateTally tally;
  const auto is_date = [](std::string_view text, DayOrder order) {
    const auto moment = parse_moment(text, order);
    return moment && moment->kind != Moment::Kind::count;
  };
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const bool any = is_date(texts[i], DayOrder::unknown);
    tally.any_order += any ? counts[i] : 0;
    tally.day_first += any || is_date(texts[i], DayOrder::day_first) ? counts[i] : 0;
    tally.month_first += any || is_date(texts[i], DayOrder::month_first) ? counts[i] : 0;
  }
  return tally;
}

DayOrder DateTally::order() const {
  if (!order_needed()) return DayOrder::unknown;
  return day_first >= month_first ? DayOrder::day_first : DayOrder::month_first;
}

}  // namespace mbnn
