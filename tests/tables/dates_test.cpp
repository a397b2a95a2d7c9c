// Dates as people write them, the grids they stand on, and what is refused.
#include "mbnn/tables/columns/time_axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <tuple>

#include "mbnn/core/error.h"

namespace mbnn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Table table_of(const std::vector<std::string>& texts) {
  Table table;
  table.path = "t.csv";
  table.rows = texts.size();
  table.line_runs = {{0, 2}};
  Column column{"date", ColumnKind::categorical, {}, {}, {}};
  for (const auto& text : texts) {
    column.codes.push_back(text.empty() ? -1 : static_cast<std::int32_t>(column.levels.size()));
    column.levels.push_back(text);
  }
  table.columns.push_back(std::move(column));
  return table;
}

std::vector<std::int64_t> steps(const std::vector<std::string>& texts, std::string* note = nullptr) {
  const Table table = table_of(texts);
  std::vector<std::string> notes;
  const TimeAxis axis = TimeAxis::learn(table, table.columns[0], notes);
  EXPECT_EQ(TimeAxis::from_json(axis.to_json()), axis);
  if (note)
    for (const auto& line : notes) *note += line + "\n";
  return axis.steps(table, table.columns[0]);
}

std::string refusal(const std::vector<std::string>& texts) {
  try {
    steps(texts);
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

// Seen to fail: months a day too long, a year without its 29th of February, a date twice in a later table.
TEST(Dates, AreReadInTheirCommonSpellings) {
  for (const char* text : {"2021-03-04", "2021/3/4", "2021.03.04", "20210304", "4.3.2021", "04.03.2021", "4 Mar 2021",
                           "Mar 4, 2021", "4-Mar-2021", "March 4 2021", " 2021-03-04 ", "2021-03-04T00:00",
                           "2021-03-04 00:00:00", "2021-03-04T00:00:00.000Z"}) {
    const auto moment = parse_moment(text, DayOrder::unknown);
    ASSERT_TRUE(moment) << text;
    EXPECT_EQ(moment->seconds(), 1614816000) << text;  // date -u -d 2021-03-04 +%s
  }
  EXPECT_EQ(parse_moment("03/04/2021", DayOrder::month_first)->day, 4);
  EXPECT_EQ(parse_moment("03/04/2021", DayOrder::day_first)->month, 4);
  EXPECT_FALSE(parse_moment("03/04/2021", DayOrder::unknown));
  EXPECT_EQ(parse_moment("2021-03-04 13:45:10", DayOrder::unknown)->second, 49510);
  EXPECT_EQ(parse_moment("2021-Q3", DayOrder::unknown)->month, 7);
  EXPECT_EQ(parse_moment("2021Q4", DayOrder::unknown)->month, 10);
  EXPECT_EQ(parse_moment("2021-07", DayOrder::unknown)->months(), 12 * 2021 + 6);
  EXPECT_EQ(parse_moment("-3", DayOrder::unknown)->count, -3);
  for (const char* text : {"", "soon", "2021-02-29", "2021-13-01", "31.4.2021", "2021-03-04 25:00", "21-3-4",
                           "2021-03-04 12", "2021-Q5", "1.5", "Mart 4 2021"})
    EXPECT_FALSE(parse_moment(text, DayOrder::month_first)) << text;
}

TEST(Dates, HaveYearsOfTwoDigitsBehindTheRest) {
  for (const char* text : {"03/04/21", "3/4/21", "03-04-21", "4-Mar-21", "Mar 4, 21", "Thu 4 Mar 2021", "4.3.21"}) {
    const auto moment = parse_moment(text, DayOrder::month_first);
    ASSERT_TRUE(moment) << text;
    EXPECT_EQ(moment->seconds(), 1614816000) << text;
  }
  EXPECT_FALSE(parse_moment("03/04/21", DayOrder::unknown));
  EXPECT_EQ(parse_moment("1/1/68", DayOrder::day_first)->year, 2068);
  EXPECT_EQ(parse_moment("1/1/69", DayOrder::day_first)->year, 1969);
  EXPECT_EQ(parse_moment("Mar-21", DayOrder::unknown)->months(), 12 * 2021 + 2);
  for (const char* text : {"May 12", "12 May", "03-21", "1 2 21", "3/4-21", "1/2/3"})
    EXPECT_FALSE(parse_moment(text, DayOrder::month_first)) << text;
}

// Seen to fail: noon and midnight by the twelve-hour clock, an offset behind UTC.
TEST(Dates, HaveTimesWithHalvesOfTheDayAndOffsets) {
  const auto time = [](const std::string& text) { return parse_moment("2021-03-04 " + text, DayOrder::unknown); };
  EXPECT_EQ(time("12:00 AM")->second, 0);
  EXPECT_EQ(time("12:30 PM")->second, 45000);
  EXPECT_EQ(time("1:05pm")->second, 47100);
  EXPECT_EQ(time("11:59:59 p.m.")->second, 86399);
  EXPECT_FALSE(time("13:00 PM"));
  EXPECT_FALSE(time("0:30 AM"));
  EXPECT_EQ(time("12:30:15.250")->fraction, 0.25);
  EXPECT_FALSE(time("12:30")->offset);
  EXPECT_EQ(time("12:30Z")->offset, 0);
  EXPECT_EQ(time("12:30 UTC")->offset, 0);
  EXPECT_EQ(time("12:30+02:00")->offset, 7200);
  EXPECT_EQ(time("12:30:00-0530")->offset, -19800);
  EXPECT_EQ(time("12:30+01")->offset, 3600);
  EXPECT_EQ(time("12:30+02:00")->second, 45000);  // by its own clock
  for (const char* wrong : {"12:30+2", "12:30+99:00", "12:30:", "12:", "12:30 XM", "12:30:15:10", "12:30."})
    EXPECT_FALSE(time(wrong)) << wrong;
}

// A leap day, the first and last of a year, before 1970: against date -u -d.
TEST(Dates, ComeBackFromTheirSeconds) {
  for (const char* text :
       {"2021-03-04", "2020-02-29", "2000-12-31", "1900-03-01", "1969-12-31", "0001-01-01", "2400-02-29"}) {
    const auto moment = parse_moment(text, DayOrder::unknown);
    const Moment back = Moment::at(static_cast<double>(moment->seconds()) + 86399.5);
    EXPECT_EQ(std::tie(back.year, back.month, back.day), std::tie(moment->year, moment->month, moment->day)) << text;
    EXPECT_EQ(back.second, 86399);
    EXPECT_EQ(back.fraction, 0.5);
  }
  EXPECT_EQ(Moment::at(-1).year, 1969);
  EXPECT_EQ(parse_moment("2021-03-04", DayOrder::unknown)->weekday(), 3);  // a Thursday
  EXPECT_EQ(parse_moment("1969-12-28", DayOrder::unknown)->weekday(), 6);
  EXPECT_DOUBLE_EQ(parse_moment("2020-12-31 12:00", DayOrder::unknown)->year_share(), 365.5 / 366);
}

TEST(TimeAxis, FindsTheStepAndTheGaps) {
  std::string note;
  EXPECT_THAT(steps({"2020-02-27", "2020-02-28", "2020-02-29", "2020-03-01", "2020-03-04"}, &note),
              ElementsAre(0, 1, 2, 3, 6));
  EXPECT_THAT(note, HasSubstr("step of the series is 1 day"));
  EXPECT_THAT(note, HasSubstr("1 gap (2 steps in all), the first after 2020-03-01: treated as missing"));
  EXPECT_THAT(steps({"2004-01-04", "2004-01-11", "2004-01-18", "2004-02-01"}), ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(steps({"2020-01-31", "2020-02-29", "2020-03-31", "2020-05-31"}), ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(steps({"2020-11", "2020-12", "2021-01", "2021-04"}), ElementsAre(0, 1, 2, 5));
  EXPECT_THAT(steps({"2019-Q4", "2020-Q1", "2020-Q2", "2020-Q4"}), ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(steps({"15.1.2020", "15.2.2020", "15.3.2020"}), ElementsAre(0, 1, 2));
  EXPECT_THAT(steps({"2020-01-01 22:00", "2020-01-01 23:00", "2020-01-02 00:00", "2020-01-02 02:00"}),
              ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(steps({"28/02/2021", "01/03/2021", "02/03/2021"}), ElementsAre(0, 1, 2));
  EXPECT_THAT(steps({"02/28/2021", "03/01/2021", "03/02/2021"}), ElementsAre(0, 1, 2));
  EXPECT_THAT(steps({"5", "10", "15", "30"}), ElementsAre(0, 1, 2, 5));
}

TEST(TimeAxis, RefusesByThePlace) {
  EXPECT_THAT(refusal({"2020-01-02", "2020-01-03", "2020-01-03"}), HasSubstr("t.csv, line 4, column 'date'"));
  EXPECT_THAT(refusal({"2020-01-02", "2020-01-03", "2020-01-03"}), HasSubstr("is the same date as '2020-01-03'"));
  EXPECT_THAT(refusal({"2020-01-02", "2020-01-03", "2020-01-01"}), HasSubstr("is earlier than"));
  EXPECT_THAT(refusal({"2020-01-02", "2020-01-09", "2020-01-16", "2020-01-20"}),
              HasSubstr("line 5, column 'date': '2020-01-20' is not a whole number of steps of 7 days"));
  EXPECT_THAT(refusal({"2020-01-02", "soon"}), HasSubstr("line 3, column 'date': 'soon' is not a date; expected"));
  EXPECT_THAT(refusal({"2020-01-02", ""}), HasSubstr("line 3, column 'date': the date is missing"));
  EXPECT_THAT(refusal({"01/02/2020", "01/03/2020"}), HasSubstr("may be day/month or month/day"));
  EXPECT_THAT(refusal({"2020-01-02", "7"}), HasSubstr("cannot be mixed"));
  EXPECT_THAT(refusal({"2020-01-02"}), HasSubstr("at least 2"));
}

TEST(TimeAxis, PlacesLaterDatesOnItsGrid) {
  std::vector<std::string> notes;
  const Table weeks = table_of({"2004-01-04", "2004-01-11", "2004-01-18"});
  const TimeAxis axis = TimeAxis::learn(weeks, weeks.columns[0], notes);
  EXPECT_EQ(axis.step_until("2004-01-18", "from"), 2);
  EXPECT_EQ(axis.step_until("2004-01-24", "from"), 2);
  EXPECT_EQ(axis.step_until("2004-01-25", "from"), 3);
  EXPECT_EQ(axis.step_until("2004-01-03", "from"), -1);
  EXPECT_THROW(axis.step_until("soon", "from"), InputError);
  const Table later = table_of({"2004-02-01", "2004-02-09"});
  EXPECT_EQ(axis.step(later, later.columns[0], 0), 4);
  EXPECT_THROW(axis.steps(later, later.columns[0]), InputError);
  for (const auto& texts : {std::vector<std::string>{"2004-02-01", "2004-02-01"}, {"2004-02-08", "2004-02-01"}}) {
    const Table disorder = table_of(texts);
    EXPECT_THROW(axis.steps(disorder, disorder.columns[0]), InputError) << texts[1];
  }
  const Table months = table_of({"2020-01-31", "2020-02-29", "2020-03-31"});
  const TimeAxis ends = TimeAxis::learn(months, months.columns[0], notes);
  EXPECT_EQ(ends.step_until("2020-04-29", "from"), 2);
  EXPECT_EQ(ends.step_until("2020-04-30", "from"), 3);
}

// Clocks that are put forward make no gap in hours, nor an odd step in days.
TEST(TimeAxis, CountsHoursWhereTheOffsetIsKnown) {
  EXPECT_THAT(
      steps({"2023-03-26T00:00+01:00", "2023-03-26T01:00+01:00", "2023-03-26T03:00+02:00", "2023-03-26T04:00+02:00"}),
      ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(steps({"2023-03-25T00:00+01:00", "2023-03-26T00:00+01:00", "2023-03-27T00:00+02:00"}),
              ElementsAre(0, 1, 2));
  EXPECT_THAT(steps({"01/01/2023 11:00 PM", "01/02/2023 12:00 AM", "01/13/2023 12:00 AM"}), ElementsAre(0, 1, 265));
  EXPECT_THAT(steps({"01/12/23", "01/13/23", "01/15/23"}), ElementsAre(0, 1, 3));
  EXPECT_THAT(refusal({"2023-03-26 00:00:00.5", "2023-03-26 00:00:01.5"}), HasSubstr("is not a date"));
  std::vector<std::string> notes;
  const Table summer = table_of({"2023-03-26T00:00+01:00", "2023-03-26T01:00+01:00", "2023-03-26T03:00+02:00"});
  const TimeAxis axis = TimeAxis::from_json(TimeAxis::learn(summer, summer.columns[0], notes).to_json());
  EXPECT_EQ(axis.step_until("2023-03-26 05:00", "until"), 5);  // by the first clock
}

// A day, a month or a quarter is meant as a whole.
TEST(TimeAxis, GoesToTheEndOfWhatWasWritten) {
  std::vector<std::string> notes;
  const auto learnt = [&](const std::vector<std::string>& texts) {
    const Table table = table_of(texts);
    return TimeAxis::learn(table, table.columns[0], notes);
  };
  const TimeAxis hours = learnt({"2021-03-04 00:00", "2021-03-04 01:00", "2021-03-04 02:00"});
  EXPECT_EQ(hours.step_until("2021-03-04", "train-until"), 23);
  EXPECT_EQ(hours.step_until("2021-03-04 05:30", "train-until"), 5);
  EXPECT_EQ(hours.step_until("2021-03", "train-until"), 28 * 24 - 1);
  EXPECT_EQ(hours.step_from("2021-03-05", "from"), 24);
  EXPECT_EQ(hours.step_from("2021-03-04 05:30", "from"), 6);
  const TimeAxis days = learnt({"2021-04-01", "2021-04-02", "2021-04-03"});
  EXPECT_EQ(days.step_until("2021-05", "train-until"), 60);
  EXPECT_EQ(days.step_until("2021-Q2", "train-until"), 90);
  EXPECT_EQ(days.step_until("2021-12", "train-until"), 274);
  EXPECT_EQ(days.step_from("2021-05", "from"), 30);
  const TimeAxis months = learnt({"202101", "202102", "202103"});
  EXPECT_EQ(months.step_until("202112", "train-until"), 11);
  EXPECT_EQ(months.step_until("2021-Q2", "train-until"), 5);
  EXPECT_EQ(months.step_from("2021-04-15", "from"), 4);
  EXPECT_EQ(learnt({"202101", "202102", "202113"}).step_name(), "1");  // numbers that are no months
}

}  // namespace
}  // namespace mbnn
