// Dates, a line each, and the axis that they stand on.
#include <nlohmann/json.hpp>

#include "mbnn/tables/columns/dates.h"
#include "tests/fuzz/target.h"

namespace mbnn::fuzz {

void read_bytes(Bytes input) {
  const std::string text = text_of(input);
  const std::size_t line = std::min(text.find('\n'), text.size());
  for (const DayOrder order : {DayOrder::unknown, DayOrder::day_first, DayOrder::month_first, DayOrder::year_month})
    if (const auto moment = parse_moment(std::string_view(text).substr(0, line), order)) {
      moment->seconds();
      moment->last_of_month();
    }
  const std::string path = scratch_directory() + "/dates.csv";
  const std::string table_text = "d\n" + text;
  write_file(path, {reinterpret_cast<const std::uint8_t*>(table_text.data()), table_text.size()});
  const Table table = read_table(path, {.delimiter = ';', .as_written = {"d"}});
  std::vector<std::string> notes;
  const TimeAxis axis = TimeAxis::learn(table, table.columns.front(), notes);
  if (!(TimeAxis::from_json(axis.to_json()) == axis)) finding("an axis that JSON changed");
  const auto steps = axis.steps(table, table.columns.front());
  if (steps.front() != 0) finding("a first date that is not the first step");
  axis.step_until(table.columns.front().text(0), "until");
  axis.step_from(text.substr(0, line), "from");
}

std::vector<std::string> seeds() {
  return {"2021-01-01\n2021-01-02\n2021-01-04\n",
          "31.1.2020\n29.2.2020\n31.3.2020\n",
          "03/04/2021 12:30\n13/04/2021 12:30\n",
          "2021-Q1\n2021Q2\n2021-Q4\n",
          "Mar 2021\n4 Apr 2021\n",
          "202101\n202102\n202103\n",
          "1\n2\n5\n",
          "20210304T12:30:15Z\n20210304T12:30:16Z\n"};
}

}  // namespace mbnn::fuzz
