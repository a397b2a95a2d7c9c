// The dates that are written for steps without a row are those that a table would have, and events stand at theirs.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mbnn/core/error.h"
#include "mbnn/series/events.h"
#include "mbnn/tables/columns/time_axis.h"
#include "tests/support/fit_files.h"
#include "tests/support/temporary_directory.h"

namespace mbnn {
namespace {

Table table_of(const std::vector<std::string>& cells) {
  Table table;
  table.path = "t.csv";
  table.rows = cells.size();
  Column column{"ds", ColumnKind::categorical, {}, {}, cells};
  for (std::size_t i = 0; i < cells.size(); ++i) column.codes.push_back(static_cast<std::int32_t>(i));
  table.columns.push_back(column);
  return table;
}

struct Expected {
  std::vector<std::string> cells;
  std::int64_t step;
  const char* date;
};

// Known by the calendar; and read again, each date is its step. Caught: months before year 0 aside, a leap day that is
// lost, the last day of a month taken as its 28th, a time of day left out.
TEST(StepDate, IsThatOfTheCalendar) {
  const std::vector<Expected> all{
      {{"2023-12-30", "2023-12-31", "2024-01-01"}, 61, "2024-02-29"},
      {{"2024-01-01 22:00", "2024-01-01 23:00", "2024-01-02 00:00"}, 3, "2024-01-02 01:00:00"},
      {{"2024-01-01 00:00", "2024-01-01 00:30", "2024-01-01 01:00"}, 48, "2024-01-02 00:00:00"},
      {{"2023-11", "2023-12", "2024-01"}, 14, "2025-01-01"},
      {{"2023-11-30", "2023-12-31", "2024-01-31"}, 3, "2024-02-29"},
      {{"2023-10-15", "2023-11-15", "2023-12-15"}, 2, "2023-12-15"},
      {{"2023-Q1", "2023-Q2", "2023-Q3"}, 5, "2024-04-01"},
      {{"1969-12-22", "1969-12-29", "1970-01-05"}, 0, "1969-12-22"},
      {{"03/05/2021", "17/05/2021", "31/05/2021"}, 3, "2021-06-14"},
      {{"7", "17", "27"}, 4, "47"}};
  for (const Expected& e : all) {
    SCOPED_TRACE(e.cells[0]);
    const Table table = table_of(e.cells);
    std::vector<std::string> notes;
    const TimeAxis axis = TimeAxis::learn(table, table.columns[0], notes);
    EXPECT_EQ(axis.date(e.step), e.date);
    for (const std::int64_t step : {0, 1, 5, 37, 400}) {
      const Table one = table_of({axis.date(step)});
      EXPECT_EQ(axis.step(one, one.columns[0], 0), step);
    }
  }
}

std::vector<Event> events_of(const std::string& text, const std::vector<std::string>& dates) {
  const TemporaryDirectory directory;
  write_bytes(directory.path() + "/events.csv", text);
  const Table table = table_of(dates);
  std::vector<std::string> notes;
  return read_events(directory.path() + "/events.csv", TimeAxis::learn(table, table.columns[0], notes));
}

// A day is all of its hours, and lies within its week or month; windows are days. What was before the series is left
// out.
TEST(Events, StandAtTheStepsOfTheirDays) {
  const std::vector<std::string> days{"2024-01-01", "2024-01-02", "2024-01-03"}, weeks{"2024-01-01", "2024-01-08"},
      months{"2024-01", "2024-02"}, hours{"2024-01-01 00:00", "2024-01-01 06:00", "2024-01-01 12:00"};
  const std::string text = "name,date,before,after\nparade,2024-01-10,1,\n";
  EXPECT_EQ(events_of(text, days), (std::vector<Event>{{"parade-1", {8}}, {"parade", {9}}}));
  EXPECT_EQ(events_of(text, weeks), (std::vector<Event>{{"parade-1", {0}}, {"parade", {1}}}));
  EXPECT_EQ(events_of(text, months), (std::vector<Event>{{"parade", {0}}}));
  EXPECT_EQ(events_of(text, hours), (std::vector<Event>{{"parade-1", {32, 33, 34, 35}}, {"parade", {36, 37, 38, 39}}}));
  EXPECT_EQ(events_of("event,day\nb,2024-01-03\na,2024-01-02\nb,2024-01-02\nb,2023-01-02\n", days),
            (std::vector<Event>{{"a", {1}}, {"b", {1, 2}}}));
  const auto said = [&](const std::string& wrong) {
    try {
      events_of(wrong, days);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(said("name,when\na,2024-01-02\n").find("no column 'date' for their dates"), std::string::npos);
  EXPECT_NE(said("name,date\na,2024-01-02\nb,easter\n").find("line 3, column 'date': 'easter' is not a date"),
            std::string::npos);
  EXPECT_NE(said("name,date,after\na,2024-01-02,two\n").find("line 2, column 'after': 'two' is not a number"),
            std::string::npos);
  EXPECT_NE(said("name,date\na,2020-01-02\n").find("no event after the first date"), std::string::npos);
  EXPECT_EQ(event_effects({{"a", {1, 4}}, {"b", {4}}}, {10, 1}, std::vector<std::int64_t>{0, 1, 3, 4}),
            (std::vector<double>{0, 10, 0, 11}));
}

}  // namespace
}  // namespace mbnn
