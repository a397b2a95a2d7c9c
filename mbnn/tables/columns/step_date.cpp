// The date of a step, for rows that no table has.
#include <fmt/format.h>

#include <chrono>

#include "mbnn/tables/columns/time_axis.h"

namespace mbnn {

namespace {

using std::chrono::year_month_day;

std::string day_text(const year_month_day& date) {
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

std::string with_time(const std::string& day, std::int64_t second) {
  return fmt::format("{} {:02}:{:02}:{:02}", day, second / 3600, second / 60 % 60, second % 60);
}

}  // namespace

std::string TimeAxis::date(std::int64_t step) const {
  using namespace std::chrono;
  const std::int64_t at = first_ + step * length_;
  if (unit_ == Unit::count) return fmt::format("{}", at);
  if (unit_ == Unit::months) {
    const std::int64_t years = (at >= 0 ? at : at - 11) / 12;
    const year_month month(year(static_cast<int>(years)),
                           std::chrono::month(static_cast<unsigned>(at - 12 * years + 1)));
    const year_month_day last = month / std::chrono::last;
    // Of a day that only some months have, such as the 30th, the last one stands in.
    const year_month_day date =
        last_day_ || last.day() < day(static_cast<unsigned>(day_)) ? last : month / day(static_cast<unsigned>(day_));
    return second_ == 0 ? day_text(date) : with_time(day_text(date), second_);
  }
  const sys_seconds moment{seconds(at + (instants_ ? offset_ : 0))};  // by the clock
  const sys_days midnight = floor<days>(moment);
  const std::int64_t second = (moment - midnight).count();
  const std::string day = day_text(year_month_day(midnight));
  return second == 0 && length_ % 86400 == 0 ? day : with_time(day, second);
}

}  // namespace mbnn
