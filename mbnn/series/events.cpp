#include "mbnn/series/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "mbnn/core/error.h"
#include "mbnn/core/known_names.h"
#include "mbnn/core/option_value.h"

namespace mbnn {

namespace {

constexpr std::int64_t kLongestWindow = 366;
constexpr std::int64_t kDay = 86400;

const Column* one_of_columns(const Table& table, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const Column* column = table.find(name)) return column;
  return nullptr;
}

const Column& needed(const Table& table, std::initializer_list<const char*> names, const char* use) {
  if (const Column* column = one_of_columns(table, names)) return *column;
  throw InputError(fmt::format("{}: no column '{}' for {}; columns are {}", table.path, *names.begin(), use,
                               list_names(table.column_names())));
}

// Days before or after; Prophet counts those before as negative ones.
std::int64_t window(const Table& table, const Column* column, std::size_t row) {
  if (!column || column->missing(row)) return 0;
  std::int64_t days = -1;
  try {
    days = std::abs(parse_integer(column->text(row)));
  } catch (const InputError&) {
  }
  if (days < 0 || days > kLongestWindow)
    throw InputError(fmt::format("{}: '{}' is not a number of days from 0 to {}", table.place(row, column->name),
                                 column->text(row), kLongestWindow));
  return days;
}

}  // namespace

std::vector<Event> read_events(const std::string& path, const TimeAxis& axis) {
  TableOptions options;
  options.as_written = column_names_of(path, options);
  const Table table = read_table(path, options);
  const Column& name = needed(table, {"name", "event", "holiday"}, "the events' names");
  const Column& date = needed(table, {"date", "ds", "day"}, "their dates");
  const Column* before = one_of_columns(table, {"before", "lower_window"});
  const Column* after = one_of_columns(table, {"after", "upper_window"});
  const std::int64_t seconds = axis.seconds_in_step();
  const std::int64_t day = seconds > 0 && seconds < kDay && kDay % seconds == 0 ? kDay / seconds : 1;
  std::map<std::pair<std::string, std::int64_t>, std::set<std::int64_t>> steps;
  for (std::size_t row = 0; row < table.rows; ++row) {
    if (name.missing(row) || date.missing(row))
      throw InputError(table.place(row, name.missing(row) ? name.name : date.name) + ": the cell is missing");
    std::int64_t first = 0, last = 0;
    try {
      first = axis.step_from(date.text(row), "events");
      last = axis.step_until(date.text(row), "events");
    } catch (const OptionError&) {
      throw InputError(
          fmt::format("{}: '{}' is not a date as the series has them", table.place(row, date.name), date.text(row)));
    }
    first = std::min(first, last);  // within a longer step
    for (std::int64_t offset = -window(table, before, row); offset <= window(table, after, row); ++offset) {
      auto& taken = steps[{name.text(row), offset}];
      for (std::int64_t step = first + offset * day; step <= last + offset * day; ++step)
        if (step >= 0) taken.insert(step);
    }
  }
  std::vector<Event> events;
  for (const auto& [key, taken] : steps)
    if (!taken.empty())
      events.push_back(
          {key.second == 0 ? key.first : fmt::format("{}{:+}", key.first, key.second), {taken.begin(), taken.end()}});
  if (events.empty()) throw InputError(fmt::format("{}: no event after the first date of the series", path));
  return events;
}

std::vector<double> event_effects(const std::vector<Event>& events, const std::vector<double>& effects,
                                  std::span<const std::int64_t> times) {
  std::vector<double> sums(times.size(), 0.0);
  if (times.empty()) return sums;
  for (std::size_t k = 0; k < events.size(); ++k) {
    auto at = times.begin();
    for (const std::int64_t step : events[k].steps) {
      at = std::lower_bound(at, times.end(), step);
      if (at == times.end()) break;
      if (*at == step) sums[static_cast<std::size_t>(at - times.begin())] += effects[k];
    }
  }
  return sums;
}

void to_json(nlohmann::json& json, const Event& event) { json = {{"name", event.name}, {"steps", event.steps}}; }

void from_json(const nlohmann::json& json, Event& event) {
  json.at("name").get_to(event.name);
  json.at("steps").get_to(event.steps);
}

}  // namespace mbnn
