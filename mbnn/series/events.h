// Holidays and other events: dates that a table names, each with an effect of its own, in the past and in the future.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "mbnn/tables/columns/time_axis.h"

namespace mbnn {

struct Event {
  std::string name;                 // "easter", and "easter-1", "easter+1" for the days of its window
  std::vector<std::int64_t> steps;  // ascending, from the first training step on
  bool operator==(const Event&) const = default;
};

// A row an event: name, date and, if there are such columns, how many days (steps, where these are longer) before and
// after it belong to it. What the columns are called in Prophet's tables of holidays is understood, too.
std::vector<Event> read_events(const std::string& path, const TimeAxis& axis);

// What the events do at each of these steps, which ascend.
std::vector<double> event_effects(const std::vector<Event>& events, const std::vector<double>& effects,
                                  std::span<const std::int64_t> times);

void to_json(nlohmann::json& json, const Event& event);
void from_json(const nlohmann::json& json, Event& event);

}  // namespace mbnn
