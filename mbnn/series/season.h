// A seasonal pattern: how long it is, and whether it is a value for each of its steps or a sum of waves.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mbnn/core/option_value.h"
#include "mbnn/tables/columns/time_axis.h"

namespace mbnn {

struct Season {
  double period = 0;      // in steps; 0 as long as the table is to propose one
  std::size_t waves = 0;  // of periods `period`, `period` / 2, ...; 0: a free value for each of a whole number of steps

  Season(std::size_t steps = 0) : period(static_cast<double>(steps)) {}  // NOLINT: a number of steps is a season
  Season(double length, std::size_t count) : period(length), waves(count) {}
  bool operator==(const Season&) const = default;

  bool proposed() const { return period == 0; }
  std::size_t steps() const { return static_cast<std::size_t>(period); }
  // A wave takes two entries of the state; one of two steps, whose sine is 0, takes one.
  std::size_t entries() const { return waves == 0 ? steps() - 1 : 2 * waves - lone(); }
  bool lone() const { return waves > 0 && period == static_cast<double>(2 * waves); }
  // A season's variance is that of its change in one of its periods. What one entry's disturbance has of it: free
  // values are disturbed once in a period each, waves all the time.
  double share() const { return waves == 0 ? 1 : 1 / (period * static_cast<double>(waves)); }
  std::size_t disturbed() const { return waves == 0 ? 1 : entries(); }

  std::string length() const;  // "7", "365.25"
  std::string text() const;    // as parse() reads it: "7", "168:free", "365.25:fourier=10"
  // A long period, or one that is no whole number of steps, is a sum of waves if nothing else is said.
  static Season parse(const std::string& text);
};

OptionValue value_of(std::vector<Season>& seasons);
std::string list_seasons(const std::vector<Season>& seasons);

// Those that the calendar suggests for the step of an axis: the day, the week, the year.
std::vector<Season> usual_seasons(const TimeAxis& axis);

}  // namespace mbnn
