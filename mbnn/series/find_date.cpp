#include "mbnn/series/find_date.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <optional>

#include "mbnn/core/error.h"
#include "mbnn/core/known_names.h"
#include "mbnn/tables/columns/time_axis.h"

namespace mbnn {

namespace {

// As people and other programs call it, the surest first.
constexpr std::array kUsualNames{"ds",    "date",    "datetime", "timestamp", "time",  "day",  "week",
                                 "month", "quarter", "year",     "period",    "index", "step", "t"};

std::size_t rank(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return static_cast<std::size_t>(std::ranges::find(kUsualNames, name) - kUsualNames.begin());
}

struct Candidate {
  std::string name;
  bool numbers = false;              // plain ones, not dates
  std::optional<std::string> fault;  // why it is no axis of time
};

// None if the first cell is neither a date nor a number.
std::optional<Candidate> candidate(const Table& table, const Column& column) {
  if (table.rows == 0 || column.missing(0)) return {};
  const auto read = [&](DayOrder order) { return parse_moment(column.text(0), order); };
  auto moment = read(DayOrder::unknown);
  if (!moment) moment = read(DayOrder::day_first);
  if (!moment) moment = read(DayOrder::month_first);
  if (!moment) return {};
  Candidate found{column.name, moment->kind == Moment::Kind::count, {}};
  try {
    std::vector<std::string> said;
    const TimeAxis axis = TimeAxis::learn(table, column, said);
    found.numbers = axis.months_in_step() == 0 && axis.seconds_in_step() == 0;  // 202101 is a month in the end
  } catch (const InputError& error) {
    found.fault = error.what();
  }
  return found;
}

}  // namespace

std::string find_date(const std::string& path, const TableOptions& options, const std::string& target) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none) && std::filesystem::exists(path, none))
    throw OptionError("date", fmt::format(": {} cannot be read twice to find it; name the column", path));
  TableOptions texts = options;
  texts.as_written = column_names_of(path, options);
  texts.numeric.clear();
  texts.categorical.clear();
  const Table table = read_table(path, texts);
  // Dates come first, then numbers whose name says what they are.
  std::vector<Candidate> good, faulty;
  for (const bool numbers : {false, true}) {
    for (const Column& column : table.columns) {
      if (column.name == target) continue;
      const auto found = candidate(table, column);
      if (!found || found->numbers != numbers || (numbers && rank(column.name) == kUsualNames.size())) continue;
      (found->fault ? faulty : good).push_back(*found);
    }
    if (!good.empty() || !faulty.empty()) break;
  }
  if (good.empty() && faulty.size() == 1) throw InputError(*faulty[0].fault);
  if (good.empty())
    throw OptionError("date",
                      fmt::format(": no column of {} holds dates in ascending order; name the column, one of {}", path,
                                  list_names(table.column_names())));
  std::ranges::stable_sort(good, {}, [](const Candidate& c) { return rank(c.name); });
  if (good.size() > 1 && rank(good[0].name) == rank(good[1].name))
    throw OptionError("date", fmt::format(": columns '{}' and '{}' of {} both hold dates; name one", good[0].name,
                                          good[1].name, path));
  return good[0].name;
}

}  // namespace mbnn
