// Dates and times as people write them: one cell, and what tells day from month in a column of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mbnn {

// One cell. Only numbers that are no dates ("17", a year alone) are counts.
struct Moment {
  enum class Kind { count, month, day } kind = Kind::count;
  std::int64_t count = 0;
  int year = 0, month = 1, day = 1;
  std::int64_t second = 0;         // of the day, as the clock shows it
  double fraction = 0;             // of a second
  std::optional<int> offset = {};  // of the clock, in seconds ahead of UTC

  std::int64_t months() const { return 12 * static_cast<std::int64_t>(year) + month - 1; }
  std::int64_t seconds() const;  // since 1970-01-01, by the clock
  bool last_of_month() const;
  int weekday() const;               // 0: Monday
  double year_share() const;         // of the year that is over
  static Moment at(double seconds);  // that many since 1970-01-01
};

// Of 03/04/2021; or that six digits are a month, 202103.
enum class DayOrder { unknown, day_first, month_first, year_month };

// 2021-03-04, 2021/3/4, 20210304, 4.3.2021, 03/04/2021, 03/04/21, 4 Mar 2021, Mar 4, 2021, 4-Mar-21, Thu 4 Mar 2021,
// any of them with a time of day behind T or a blank; 2021-03, Mar 2021, Mar-21, 2021-Q1, 2021Q1; whole numbers. None
// if it is none of these, or if the order of day and month must be known first. Years of two digits are 1969 to 2068.
std::optional<Moment> parse_moment(std::string_view text, DayOrder order);

// 12:30, 12:30:15, 12:30:15.250, 12:30 PM, any of them with Z, UTC, +02:00 or -0500 behind: second, fraction, offset.
std::optional<Moment> parse_time_of_day(std::string_view text);

// How many of some texts, each met so often, are dates: whatever the order of day and month, and under either.
struct DateTally {
  std::size_t any_order = 0, day_first = 0, month_first = 0;  // the last two include the first
  static DateTally of(std::span<const std::string_view> texts, std::span<const std::size_t> counts);
  std::size_t most() const { return std::max(day_first, month_first); }
  bool order_needed() const { return most() > any_order; }
  bool doubtful() const { return order_needed() && day_first == month_first; }
  DayOrder order() const;
};

}  // namespace mbnn
