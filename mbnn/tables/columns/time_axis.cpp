// The grid that a column of dates stands on: its unit and step, and what is off it.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "mbnn/core/error.h"
#include "mbnn/core/json_values.h"
#include "mbnn/tables/columns/dates.h"

namespace mbnn {
namespace {

constexpr std::string_view expected_dates =
    "expected dates such as 2021-03-04, 4.3.2021, 4 Mar 2021, 2021-03, 2021-Q1 or whole numbers, a time of day behind "
    "them or not";

constexpr std::int64_t kMostMissing = 10'000'000;  // steps, each of which takes memory

std::vector<std::string> cells(const Table& table, const Column& column) {
  std::vector<std::string> texts;
  for (std::size_t row = 0; row < table.rows; ++row) {
    if (column.missing(row)) throw InputError(table.place(row, column.name) + ": the date is missing");
    texts.push_back(column.text(row));
  }
  return texts;
}

// The order of 03/04/2021 is the one under which every cell is a date; if both are, the table cannot tell.
DayOrder day_order(const Table& table, const Column& column, const std::vector<std::string>& texts) {
  if (std::ranges::all_of(texts, [](const std::string& text) {
        const auto number = parse_moment(text, DayOrder::unknown), month = parse_moment(text, DayOrder::year_month);
        return number && number->kind == Moment::Kind::count && month->kind == Moment::Kind::month;
      }))
    return DayOrder::year_month;
  bool possible[2] = {true, true}, needed = false;
  for (const auto& text : texts) {
    if (parse_moment(text, DayOrder::unknown)) continue;
    needed = true;
    for (int i = 0; i < 2; ++i)
      possible[i] = possible[i] && parse_moment(text, i == 0 ? DayOrder::day_first : DayOrder::month_first);
  }
  if (!needed) return DayOrder::unknown;
  if (possible[0] && possible[1])
    throw InputError(
        fmt::format("{}: '{}' may be day/month or month/day, and no other row tells: write dates as "
                    "2021-03-04",
                    table.place(0, column.name), texts[0]));
  return possible[0] ? DayOrder::day_first : DayOrder::month_first;
}

std::string plural(std::int64_t count, const char* unit) {
  return fmt::format("{} {}{}", count, unit, count == 1 ? "" : "s");
}

}  // namespace

Moment TimeAxis::read(const Table& table, const Column& column, std::size_t row) const {
  if (column.missing(row)) throw InputError(table.place(row, column.name) + ": the date is missing");
  const std::string text = column.text(row);
  const auto moment = parse_moment(text, order_);
  if (!moment)
    throw InputError(fmt::format("{}: '{}' is not a date; {}", table.place(row, column.name), text, expected_dates));
  return *moment;
}

std::int64_t TimeAxis::value(const Moment& moment) const {
  return unit_ == Unit::count ? moment.count : unit_ == Unit::months ? moment.months() : moment.seconds();
}

bool TimeAxis::on_grid(const Moment& moment, std::int64_t& step) const {
  const bool counts = moment.kind == Moment::Kind::count;
  if (counts != (unit_ == Unit::count)) return false;
  if (unit_ == Unit::months && moment.kind == Moment::Kind::day &&
      (moment.second != second_ || (last_day_ ? !moment.last_of_month() : moment.day != day_)))
    return false;
  const std::int64_t distance = value(moment) - first_;
  step = distance / length_;
  return step * length_ == distance;
}

TimeAxis TimeAxis::learn(const Table& table, const Column& column, std::vector<std::string>& notes) {
  if (table.rows < 2) throw InputError(fmt::format("{}: {} rows; a series needs at least 2", table.path, table.rows));
  TimeAxis axis;
  axis.order_ = day_order(table, column, cells(table, column));
  std::vector<Moment> moments;
  for (std::size_t row = 0; row < table.rows; ++row) moments.push_back(axis.read(table, column, row));
  const Moment& first = moments.front();
  for (std::size_t row = 1; row < table.rows; ++row)
    if ((moments[row].kind == Moment::Kind::count) != (first.kind == Moment::Kind::count))
      throw InputError(fmt::format("{}: '{}' beside '{}': dates and plain numbers cannot be mixed",
                                   table.place(row, column.name), column.text(row), column.text(0)));
  auto every = [&](auto holds) { return std::all_of(moments.begin(), moments.end(), holds); };
  const bool same_second = every([&](const Moment& m) { return m.second == first.second; });
  if (first.kind == Moment::Kind::count) {
    axis.unit_ = Unit::count;
  } else if (every([](const Moment& m) { return m.kind == Moment::Kind::month; }) ||
             (same_second && every([&](const Moment& m) { return m.day == first.day; }))) {
    axis.unit_ = Unit::months;
    axis.day_ = first.day;
    axis.second_ = first.second;
  } else if (same_second && every([](const Moment& m) { return m.last_of_month(); })) {
    axis.unit_ = Unit::months;
    axis.last_day_ = true;
    axis.second_ = first.second;
  } else {
    axis.unit_ = Unit::seconds;
  }
  // Two rows of one day of a month apart may also be 31 days apart: with two rows, months are the better guess.
  axis.first_ = axis.value(first);
  std::map<std::int64_t, std::size_t> differences;
  for (std::size_t row = 1; row < table.rows; ++row) {
    const std::int64_t difference = axis.value(moments[row]) - axis.value(moments[row - 1]);
    if (difference <= 0)
      throw InputError(fmt::format("{}: '{}' {} '{}' of the row before it; dates must ascend, one row each",
                                   table.place(row, column.name), column.text(row),
                                   difference == 0 ? "is the same date as" : "is earlier than", column.text(row - 1)));
    ++differences[difference];
  }
  axis.length_ = std::max_element(differences.begin(), differences.end(), [](const auto& a, const auto& b) {
                   return a.second < b.second;
                 })->first;
  std::size_t gaps = 0;
  std::int64_t before = 0, missing = 0;
  std::string where;
  for (std::size_t row = 1; row < table.rows; ++row) {
    std::int64_t step = 0;
    if (!axis.on_grid(moments[row], step))
      throw InputError(fmt::format("{}: '{}' is not a whole number of steps of {} after '{}'",
                                   table.place(row, column.name), column.text(row), axis.step_name(), column.text(0)));
    if (step > before + 1) {
      if (gaps++ == 0) where = column.text(row - 1);
      missing += step - before - 1;
    }
    if (missing > kMostMissing)
      throw InputError(
          fmt::format("{}: '{}' is {} steps of {} after the row before it; is the date right? At most {} steps may be "
                      "missing",
                      table.place(row, column.name), column.text(row), step - before, axis.step_name(), kMostMissing));
    before = step;
  }
  notes.push_back(fmt::format("one step of the series is {}", axis.step_name()));
  if (gaps > 0)
    notes.push_back(fmt::format("dates have {} ({} in all), the first after {}: treated as missing",
                                plural(static_cast<std::int64_t>(gaps), "gap"), plural(missing, "step"), where));
  return axis;
}

std::int64_t TimeAxis::step(const Table& table, const Column& column, std::size_t row) const {
  std::int64_t result = 0;
  if (!on_grid(read(table, column, row), result))
    throw InputError(fmt::format("{}: '{}' is not on the grid of the training dates, whose step is {}",
                                 table.place(row, column.name), column.text(row), step_name()));
  return result;
}

std::vector<std::int64_t> TimeAxis::steps(const Table& table, const Column& column) const {
  std::vector<std::int64_t> result;
  for (std::size_t row = 0; row < table.rows; ++row) {
    result.push_back(step(table, column, row));
    if (row > 0 && result[row] <= result[row - 1])
      throw InputError(fmt::format("{}: '{}' {} '{}' of the row before it; dates must ascend, one row each",
                                   table.place(row, column.name), column.text(row),
                                   result[row] == result[row - 1] ? "is the same date as" : "is earlier than",
                                   column.text(row - 1)));
  }
  return result;
}

Moment TimeAxis::given(std::string_view date, std::string_view name) const {
  const auto moment = parse_moment(date, order_);
  if (!moment || (moment->kind == Moment::Kind::count) != (unit_ == Unit::count))
    throw OptionError(name, fmt::format(" = {}: expected a date as the table writes them", date));
  return *moment;
}

std::int64_t TimeAxis::rounded_down(std::int64_t distance) const {
  return distance >= 0 ? distance / length_ : -((-distance + length_ - 1) / length_);
}

std::int64_t TimeAxis::step_until(std::string_view date, std::string_view name) const {
  const Moment moment = given(date, name);
  const std::int64_t distance = value(moment) - first_;
  if (moment.kind == Moment::Kind::count) return rounded_down(distance);
  if (moment.kind == Moment::Kind::month) {
    const std::int64_t months = date.find_first_of("qQ") == date.npos ? 1 : 3;
    if (unit_ == Unit::months) return rounded_down(distance + months - 1);
    const std::int64_t next = moment.months() + months;
    const Moment after{Moment::Kind::day, 0, static_cast<int>(next / 12), static_cast<int>(next % 12) + 1, 1, 0};
    return rounded_down(after.seconds() - 1 - first_);
  }
  if (unit_ == Unit::months)  // before the month's own day, the month is not yet
    return rounded_down(distance - (last_day_ ? !moment.last_of_month() : moment.day < day_));
  return rounded_down(date.find(':') == date.npos ? distance + 86399 : distance);
}

std::int64_t TimeAxis::step_from(std::string_view date, std::string_view name) const {
  const Moment moment = given(date, name);
  std::int64_t distance = value(moment) - first_;
  if (unit_ == Unit::months && moment.kind == Moment::Kind::day)  // after the month's own day, the month is over
    distance += !last_day_ && moment.day > day_;
  return -rounded_down(-distance);
}

std::string TimeAxis::step_name() const {
  if (unit_ == Unit::count) return fmt::format("{}", length_);
  if (unit_ == Unit::months) return plural(length_, "month");
  if (length_ % 86400 == 0) return plural(length_ / 86400, "day");
  if (length_ % 3600 == 0) return plural(length_ / 3600, "hour");
  if (length_ % 60 == 0) return plural(length_ / 60, "minute");
  return plural(length_, "second");
}

nlohmann::json TimeAxis::to_json() const {
  return {{"unit", static_cast<int>(unit_)},
          {"order", static_cast<int>(order_)},
          {"first", first_},
          {"length", length_},
          {"day", day_},
          {"last_day", last_day_},
          {"second", second_}};
}

TimeAxis TimeAxis::from_json(const nlohmann::json& json) {
  TimeAxis axis;
  const auto number = [&](const char* key, std::int64_t least, std::int64_t most) {
    const auto value = value_in<std::int64_t>(json.at(key));
    require_content(value >= least && value <= most, "its axis of dates is none that can be");
    return value;
  };
  constexpr std::int64_t far = std::int64_t{1} << 62;  // differences of such numbers are numbers
  axis.unit_ = static_cast<Unit>(number("unit", 0, 2));
  axis.order_ = static_cast<DayOrder>(number("order", 0, 3));
  axis.first_ = number("first", -far, far);
  axis.length_ = number("length", 1, far);
  axis.day_ = static_cast<int>(number("day", 1, 31));
  axis.last_day_ = json.at("last_day");
  axis.second_ = number("second", 0, 86399);
  return axis;
}

}  // namespace mbnn
