// The regular grid of steps that a column of dates stands on.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "mbnn/tables/columns/moment.h"
#include "mbnn/tables/columns/table.h"

namespace mbnn {

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
  // Cells name their distance from UTC: seconds count there, so that clocks that are put forward make no gap. `offset_`
  // is the distance of what is given without.
  bool instants_ = false;
  int offset_ = 0;
};

}  // namespace mbnn
