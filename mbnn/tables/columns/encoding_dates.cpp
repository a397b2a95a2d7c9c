// The inputs that a column of dates becomes: a trend, and the places in the year, the week and the day, as far as the
// training dates spread over them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "mbnn/tables/columns/encoding.h"

namespace mbnn {
namespace {

constexpr double day_seconds = 86400;
// Of less than this, the time of the year is the trend once more.
constexpr double enough_of_a_year = 300 * day_seconds;
constexpr double enough_of_weeks = 14 * day_seconds;
// Of a sine: what varies less is the same but for leap years.
constexpr double least_spread = 0.02;

struct Spread {
  double first = 0, last = 0;
  std::size_t dates = 0;
  std::array<std::size_t, 7> weekdays{};
  bool same_day = true, month_ends = true;  // of the month: such dates are months, and their weekdays say nothing
  bool same_time = true;
};

Spread spread_of(const Column& column, std::span<const std::size_t> rows) {
  Spread spread;
  Moment before;
  for (const std::size_t row : rows) {
    const double seconds = column.numbers[row];
    if (std::isnan(seconds)) continue;
    const Moment moment = Moment::at(seconds);
    const bool start = spread.dates++ == 0;
    spread.first = start ? seconds : std::min(spread.first, seconds);
    spread.last = start ? seconds : std::max(spread.last, seconds);
    ++spread.weekdays[static_cast<std::size_t>(moment.weekday())];
    spread.same_day = spread.same_day && (start || moment.day == before.day);
    spread.month_ends = spread.month_ends && moment.last_of_month();
    spread.same_time = spread.same_time && (start || moment.second == before.second);
    before = moment;
  }
  return spread;
}

struct Law {
  double mean = 0, sd = 0;
};

template <class Value>
Law law_of(const Column& column, std::span<const std::size_t> rows, Value value) {
  Law law;
  double count = 0, squares = 0;
  for (const std::size_t row : rows)
    if (!std::isnan(column.numbers[row])) {
      const double deviation = value(column.numbers[row]) - law.mean;
      law.mean += deviation / ++count;
      squares += deviation * (value(column.numbers[row]) - law.mean);
    }
  law.sd = count > 0 ? std::sqrt(squares / count) : 0;
  return law;
}

}  // namespace

double Encoding::date_value(const Source& source, const Feature& feature, double seconds) {
  const double span = source.last - source.first;
  const auto angle = [&](double share) { return 2 * std::numbers::pi * share; };
  const auto day_share = [&] { return seconds / day_seconds - std::floor(seconds / day_seconds); };
  switch (feature.role) {
    case Feature::Role::value:
      return std::clamp(seconds, source.first - span, source.last + span);
    case Feature::Role::year_sin:
      return std::sin(angle(Moment::at(seconds).year_share()));
    case Feature::Role::year_cos:
      return std::cos(angle(Moment::at(seconds).year_share()));
    case Feature::Role::day_sin:
      return std::sin(angle(day_share()));
    case Feature::Role::day_cos:
      return std::cos(angle(day_share()));
    default:
      return Moment::at(seconds).weekday() == feature.level ? 1 : 0;
  }
}

Encoding::Source Encoding::learn_dates(const Column& column, std::span<const std::size_t> rows,
                                       std::vector<std::string>& notes) {
  Source source{column.name, ColumnKind::date, {}, false, {}, column.form};
  const Spread spread = spread_of(column, rows);
  source.first = spread.first;
  source.last = spread.last;
  const bool clock = column.form.date.clock;
  std::vector<std::string> told;
  const auto add = [&](Feature::Role role, std::int32_t level, double least) {
    Feature feature{role, level, 0, 1};
    const Law law = law_of(column, rows, [&](double seconds) { return date_value(source, feature, seconds); });
    if (!(law.sd > least)) return false;
    feature.mean = law.mean;
    feature.sd = law.sd;
    source.features.push_back(feature);
    return true;
  };
  if (spread.last > spread.first && add(Feature::Role::value, -1, 0)) told.push_back(clock ? "the value" : "trend");
  if (!clock && spread.last - spread.first >= enough_of_a_year) {
    const bool sine = add(Feature::Role::year_sin, -1, least_spread);
    if (add(Feature::Role::year_cos, -1, least_spread) || sine) told.push_back("time of the year");
  }
  const auto weekdays = 7 - std::ranges::count(spread.weekdays, std::size_t{0});
  if (!clock && weekdays > 1 && !spread.same_day && !spread.month_ends &&
      spread.last - spread.first >= enough_of_weeks) {
    bool skip = weekdays == 2;  // the second says all
    for (std::int32_t day = 0; day < 7; ++day) {
      if (spread.weekdays[static_cast<std::size_t>(day)] == 0) continue;
      if (!std::exchange(skip, false)) add(Feature::Role::weekday, day, 0);
    }
    told.push_back("weekday");
  }
  if (!spread.same_time) {
    const bool sine = add(Feature::Role::day_sin, -1, least_spread);
    if (add(Feature::Role::day_cos, -1, least_spread) || sine) told.push_back("time of the day");
  }
  if (!told.empty())
    notes.push_back(fmt::format("'{}' holds {} from {} to {}: inputs for {}", column.name,
                                clock ? "times of day" : "dates", column.form.date.text_of(spread.first),
                                column.form.date.text_of(spread.last), fmt::join(told, ", ")));
  add_missing(source, spread.dates, rows.size());
  return source;
}

}  // namespace mbnn
