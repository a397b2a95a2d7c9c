// Dates as people write them, and the regular grid of steps that a column of them stands on.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mbnn/tables/columns/table.h"

namespace mbnn {

// One cell. Only numbers that are no dates ("17", a year alone) are counts.
struct Moment {
  enum class Kind { count, month, day } kind = Kind::count;
  std::int64_t count = 0;
  int year = 0, month = 1, day = 1;
  std::int64_t second = 0;  // of the day

  std::int64_t months() const { return 12 * static_cast<std::int64_t>(year) + month - 1; }
  std::int64_t seconds() const;  // since 1970-01-01
  bool last_of_month() const;
};

// Of 03/04/2021; or that six digits are a month, 202103.
enum class DayOrder { unknown, day_first, month_first, year_month };

// 2021-03-04, 2021/3/4, 20210304, 4.3.2021, 03/04/2021, 4 Mar 2021, Mar 4, 2021, any of them with a time of day
// (T or a blank, 12:30 or 12:30:15); 2021-03, Mar 2021, 2021-Q1, 2021Q1; whole numbers. None if it is none of these, or
// if the order of day and month must be known first.
std::optional<Moment> parse_moment(std::string_view text, DayOrder order);

// Steps of equal length: so many seconds, months (of the same day, or of their last day) or counts.
class TimeAxis {
 public:
  // From all rows of a column that must ascend. Says in `notes` what the step is and where steps are missing.
  // Refuses duplicates, disorder and dates off the grid, by their place.
  static TimeAxis learn(const Table& table, const Column& column, std::vector<std::string>& notes);

  // The steps from the first date that was learnt: of a cell, which must be on the grid; the last one in or before what
  // the user gave, be it a moment, a day or a month (`name` is the option's, for errors); the first one in or after
  // that.
  std::int64_t step(const Table& table, const Column& column, std::size_t row) const;
  std::int64_t step_until(std::string_view date, std::string_view name) const;
  std::int64_t step_from(std::string_view date, std::string_view name) const;
  // All rows of a later table, which must ascend.
  std::vector<std::int64_t> steps(const Table& table, const Column& column) const;

  std::string step_name() const;  // "1 day", "7 days", "3 months"
  // The date of a step: 2021-03-04, with the time of day if steps have one; a number if dates are numbers.
  std::string date(std::int64_t step) const;
  // How far a step goes; nothing where dates are numbers.
  std::int64_t months_in_step() const { return unit_ == Unit::months ? length_ : 0; }
  std::int64_t seconds_in_step() const { return unit_ == Unit::seconds ? length_ : 0; }
  DayOrder order() const { return order_; }
  nlohmann::json to_json() const;
  static TimeAxis from_json(const nlohmann::json& json);
  bool operator==(const TimeAxis&) const = default;

 private:
  enum class Unit { count, months, seconds };
  Moment read(const Table& table, const Column& column, std::size_t row) const;
  std::int64_t value(const Moment& moment) const;
  bool on_grid(const Moment& moment, std::int64_t& step) const;
  Moment given(std::string_view date, std::string_view name) const;
  std::int64_t rounded_down(std::int64_t distance) const;

  Unit unit_ = Unit::count;
  DayOrder order_ = DayOrder::unknown;
  std::int64_t first_ = 0, length_ = 1;  // in units
  // Months only: what every date must have.
  int day_ = 1;
  bool last_day_ = false;
  std::int64_t second_ = 0;
};

}  // namespace mbnn
