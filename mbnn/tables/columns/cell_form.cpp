#include "mbnn/tables/columns/cell_form.h"

#include <nlohmann/json.hpp>

#include "mbnn/core/error.h"

namespace mbnn {

std::optional<double> DateFormat::read(std::string_view cell) const {
  const auto moment = clock ? parse_time_of_day(cell) : parse_moment(cell, order);
  if (!moment) return {};
  if (clock) return static_cast<double>(moment->second) + moment->fraction;
  if (moment->kind != Moment::Kind::count) return static_cast<double>(moment->seconds()) + moment->fraction;
  if (moment->count < 1000 || moment->count > 2999) return {};
  Moment year = *moment;  // its first day
  year.year = static_cast<int>(moment->count);
  return static_cast<double>(year.seconds());
}

std::string DateFormat::text_of(double seconds) const {
  const Moment moment = Moment::at(seconds);
  const std::string day = fmt::format("{:04}-{:02}-{:02}", moment.year, moment.month, moment.day);
  if (!clock && moment.second == 0) return day;
  const std::string time =
      fmt::format("{:02}:{:02}:{:02}", moment.second / 3600, moment.second / 60 % 60, moment.second % 60);
  return clock ? time : day + " " + time;
}

nlohmann::json DateFormat::to_json() const { return {{"order", static_cast<int>(order)}, {"clock", clock}}; }

DateFormat DateFormat::from_json(const nlohmann::json& json) {
  const int order = json.at("order").get<int>();
  if (order < 0 || order > static_cast<int>(DayOrder::year_month)) throw Error("a stored form of dates is damaged");
  return {static_cast<DayOrder>(order), json.at("clock").get<bool>()};
}

}  // namespace mbnn
