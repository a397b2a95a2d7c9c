// The rows of a study: what a crash may leave, what is refused, and what a second run does not do again.
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <sstream>
#include <thread>

#include "apps/reproduce/data_sets.h"
#include "apps/reproduce/engine.h"
#include "apps/reproduce/tables.h"
#include "tests/support/fit_files.h"

namespace mbnn::studies {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string message(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

const std::vector<std::string> kColumns{"name", "value"};

TEST(RowsFile, EveryPrefixOfTheFileIsReadableAndGrowsOn) {
  const TemporaryDirectory directory;
  const std::string path = directory / "rows.csv";
  {
    RowsFile file = RowsFile::append_to(path, kColumns);
    file.append({{"name", "a"}, {"value", cell(0.1)}});
    file.append({{"name", "b"}, {"value", cell(std::nan(""))}});
  }
  const std::string whole = file_bytes(path);
  EXPECT_EQ(whole, "name,value\na,0.1\nb,\n");
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    write_bytes(path, whole.substr(0, cut));
    const std::size_t left = cut >= whole.size() ? 2 : cut >= whole.find("\nb") + 1 ? 1 : 0;
    RowsFile file = RowsFile::append_to(path, kColumns);
    ASSERT_EQ(file.rows().size(), left) << "cut to " << cut << " bytes";
    file.append({{"name", "c"}, {"value", "3"}});
    const auto rows = RowsFile::read(path, kColumns);
    ASSERT_EQ(rows.size(), left + 1) << "cut to " << cut << " bytes";
    EXPECT_EQ(number(rows.back(), "value"), 3);
  }
}

TEST(RowsFile, RefusesOtherColumnsDamageAndASecondWriter) {
  const TemporaryDirectory directory;
  const std::string path = directory / "rows.csv";
  EXPECT_THAT(message([&] { RowsFile::read(path, kColumns); }), HasSubstr("run the study first"));
  write_bytes(path, "name,value\na,1,2\nb,2\n");
  EXPECT_THAT(message([&] { RowsFile::append_to(path, kColumns); }), HasSubstr("line 2: expected 2 cells, found 3"));
  write_bytes(path, "name,other\na,1\n");
  EXPECT_THAT(message([&] { RowsFile::append_to(path, kColumns); }), HasSubstr("not those of this study"));
  write_bytes(path, "name,value\na,1\n");
  const RowsFile first = RowsFile::append_to(path, kColumns);
  EXPECT_THAT(message([&] { RowsFile::append_to(path, kColumns); }), HasSubstr("written by another run"));
}

// A study of squares that counts how often each of its jobs was run.
struct Squares {
  std::atomic<int> runs = 0;
  int power = 2;
  std::set<std::string> failing = {};

  Study study(int jobs) {
    Study s;
    s.name = "squares";
    s.keys = {"split"};
    s.figures = {"square"};
    s.headline = {"square"};
    s.jobs = [this, jobs] {
      std::vector<Job> list;
      for (int i = 1; i <= jobs; ++i) {
        Job job;
        job.key = {std::to_string(i)};
        job.seed = static_cast<std::uint64_t>(i);
        job.settings = {{"power", power}, {"number", i}};
        job.common = {{"power", power}};
        job.run = [this, i](const JobContext& context) -> std::optional<JobResult> {
          if (failing.contains(std::to_string(i))) throw Error("no luck");
          if (context.stop.stop_requested()) return {};
          ++runs;
          return JobResult{{{"square", cell(i * i)}}, {}};
        };
        list.push_back(job);
      }
      return list;
    };
    s.table = [](const std::vector<Row>& rows) { return mean_and_error(summarise(rows, "square"), 1); };
    return s;
  }
};

EngineOptions in(const std::string& directory) {
  EngineOptions options;
  options.directory = directory;
  options.threads = 2;
  options.command = "test";
  return options;
}

TEST(StudyEngine, ContinuesWithWhatIsMissing) {
  const TemporaryDirectory directory;
  const std::string out = directory / "study";
  Squares squares;
  EXPECT_EQ(run_study(squares.study(3), in(out)).finished, 3u);
  const StudyOutcome more = run_study(squares.study(5), in(out));
  EXPECT_EQ(more.earlier, 3u);
  EXPECT_EQ(more.finished, 2u);
  EXPECT_EQ(squares.runs, 5);
  EXPECT_EQ(more.rows.size(), 5u);
  EXPECT_THAT(more.table, HasSubstr("11.0 ± 4.3"));  // of 1, 4, 9, 16, 25: sd 9.67 over sqrt(5)
  EXPECT_EQ(file_bytes(out + "/table.md"), more.table);
  EXPECT_EQ(read_study(squares.study(5), in(out)).table, more.table);
}

TEST(StudyEngine, OtherSettingsAreRefusedAndChangeNothing) {
  const TemporaryDirectory directory;
  Squares squares;
  run_study(squares.study(2), in(directory / "study"));
  const std::string before = file_bytes(directory / "study/rows.csv");
  squares.power = 3;
  EXPECT_THAT(message([&] { run_study(squares.study(3), in(directory / "study")); }), HasSubstr("other settings"));
  EXPECT_EQ(file_bytes(directory / "study/rows.csv"), before);
  EXPECT_EQ(squares.runs, 2);
}

// Rows of earlier versions have no hash of what repetitions share.
TEST(StudyEngine, ContinuesRowsOfEarlierVersions) {
  const TemporaryDirectory directory;
  Squares squares;
  run_study(squares.study(2), in(directory / "study"));
  std::string text;
  std::istringstream file(file_bytes(directory / "study/rows.csv"));
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    cells.erase(cells.begin() + 3);  // number, seed, settings, common
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  write_bytes(directory / "study/rows.csv", text);
  const StudyOutcome more = run_study(squares.study(3), in(directory / "study"));
  EXPECT_EQ(more.earlier, 2u);
  EXPECT_EQ(more.rows.size(), 3u);
  EXPECT_EQ(read_study(squares.study(3), in(directory / "study")).table, more.table);
}

// Caught: rows of two settings in one mean, as no repetition was asked for twice.
TEST(StudyEngine, RepetitionsOfOtherSettingsAreNotMixed) {
  const TemporaryDirectory directory;
  Squares squares;
  run_study(squares.study(2), in(directory / "study"));
  squares.power = 3;
  Study third = squares.study(3);
  third.jobs = [all = third.jobs] { return std::vector<Job>{all().back()}; };
  EXPECT_THAT(message([&] { run_study(third, in(directory / "study")); }), HasSubstr("other settings"));
  squares.power = 2;
  EXPECT_EQ(run_study(squares.study(3), in(directory / "study")).finished, 1u);
}

TEST(StudyEngine, AFailedJobStopsNoOtherAndRunsAgain) {
  const TemporaryDirectory directory;
  Squares squares;
  squares.failing = {"2"};
  const StudyOutcome outcome = run_study(squares.study(4), in(directory / "study"));
  EXPECT_EQ(outcome.finished, 3u);
  EXPECT_THAT(outcome.failures, ElementsAre("2: no luck"));
  squares.failing = {};
  EXPECT_EQ(run_study(squares.study(4), in(directory / "study")).finished, 1u);
}

TEST(StudyEngine, StopsCleanlyWhenTheBudgetIsUsedUp) {
  const TemporaryDirectory directory;
  Study study;
  study.name = "slow";
  study.keys = {"split"};
  study.table = [](const std::vector<Row>&) { return ""; };
  study.jobs = [] {
    std::vector<Job> list(50);
    for (std::size_t i = 0; i < list.size(); ++i) {
      list[i].key = {std::to_string(i)};
      list[i].run = [](const JobContext& context) -> std::optional<JobResult> {
        for (int wait = 0; wait < 100 && !context.stop.stop_requested(); ++wait)
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (context.stop.stop_requested()) return {};
        return JobResult{};
      };
    }
    return list;
  };
  EngineOptions options = in(directory / "study");
  options.budget_minutes = 0.25 / 60;  // 50 jobs of a tenth of a second on two threads take ten times as long
  const StudyOutcome outcome = run_study(study, options);
  EXPECT_TRUE(outcome.out_of_time);
  EXPECT_LT(outcome.finished, 50u);
  EXPECT_EQ(outcome.rows.size(), outcome.finished);
}

TEST(StudyTables, StandardErrorDividesByTheRightCounts) {
  const std::vector<Row> rows{{{"x", "1"}}, {{"x", "3"}}, {{"x", ""}}};
  const Summary s = summarise(rows, "x");
  EXPECT_EQ(s.count, 2u);
  EXPECT_DOUBLE_EQ(s.mean, 2);
  EXPECT_DOUBLE_EQ(s.error, 1);  // sd sqrt(2) with n - 1, over sqrt(n)
  EXPECT_EQ(mean_and_error(summarise({}, "x"), 2), "–");
}

// Against NumPy: sorted(RandomState(k).permutation(n)[:ceil(n / 10)]).
TEST(PaperSplits, AreThoseOfNumPy) {
  const auto splits = paper_splits(25, 20);
  EXPECT_THAT(splits[0], ElementsAre(13, 14, 17));
  EXPECT_THAT(splits[19], ElementsAre(12, 19, 23));
  const auto boston = paper_splits(506, 2)[1];
  ASSERT_EQ(boston.size(), 51u);
  EXPECT_THAT(std::vector(boston.begin(), boston.begin() + 6), ElementsAre(1, 18, 20, 55, 65, 67));
  EXPECT_EQ(boston.back(), 480u);
}

}  // namespace
}  // namespace mbnn::studies
