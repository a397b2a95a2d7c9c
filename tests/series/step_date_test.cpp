// The dates that are written for steps without a row are those that a table would have.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mbnn/tables/columns/time_axis.h"

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

}  // namespace
}  // namespace mbnn
