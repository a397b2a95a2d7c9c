// The fit file gives back what was stored, refuses what it must, and says why in words that name the file.
// Each test names the deliberate break of the code that it was seen to catch.
#include "mbnn/store/fit_file.h"

#include <gtest/gtest.h>

#include <thread>

#include "mbnn/core/error.h"
#include "tests/support/fit_files.h"

namespace mbnn {
namespace {

using ::testing::Test;
using Mode = FitFile::Mode;

class FitFileTest : public Test {
 protected:
  // Every refusal names the file; `expected` is what else it must say.
  void expect_failure(const std::string& failure, const std::string& kind, const std::string& expected) {
    EXPECT_EQ(failure.rfind(kind + ": ", 0), 0u) << failure;
    EXPECT_NE(failure.find(expected), std::string::npos) << failure;
    EXPECT_NE(failure.find(directory.path()), std::string::npos) << failure;
  }

  TemporaryDirectory directory;
  const std::string path = directory / "m.mbnn";
};

// Caught: scalars left out of the row; the checkpoint of the first commit kept.
TEST_F(FitFileTest, GivesBackWhatWasStored) {
  write_sample(path);
  const Content content = read_everything(path);
  EXPECT_EQ(content.configuration, nlohmann::json({{"draws", 12}, {"seed", 7}}));
  EXPECT_EQ(content.encoding["columns"][1], "größe");
  EXPECT_EQ(content.notes, (std::vector<std::string>{"column x: 3 missing cells", ""}));
  EXPECT_EQ(content.table, random_bytes(9000, 3, 0));
  ASSERT_EQ(content.progress.size(), 3u);
  ASSERT_EQ(content.draws.size(), 12u);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(content.draws[i], draw_of(i / 4, 1 + i % 4, i % 4 == 3 ? 6000 : 700));
  for (int chain = 0; chain < 3; ++chain) {
    EXPECT_EQ(content.progress[chain], (ChainProgress{chain, 4, 4, true}));
    EXPECT_EQ(content.checkpoints.at(chain), checkpoint_of(chain, 4));
    EXPECT_EQ(content.statistics[chain], (StoredStatistics{chain, 4, {{"accepted", 3}}}));
  }
}

// Caught: `iteration > last` of the batches written as `>=`; the limit of a snapshot left out.
TEST_F(FitFileTest, StreamsManyDrawsWhileTheFileGrows) {
  FitFile fit = FitFile::create(path, {}, {}, false);
  commit_draws(fit, 0, 0, 150, 20);
  commit_draws(fit, 2, 0, 64, 20);
  std::vector<StoredDraw> seen;
  fit.for_each_draw([&](StoredDraw draw) {
    if (seen.empty()) commit_draws(fit, 2, 64, 10, 20);
    seen.push_back(std::move(draw));
  });
  ASSERT_EQ(seen.size(), 214u);
  EXPECT_EQ(seen[149], draw_of(0, 150, 20));
  EXPECT_EQ(seen[213], draw_of(2, 64, 20));
  EXPECT_EQ(fit.draws(2).size(), 74u);
  EXPECT_EQ(fit.draw_count(1), 0);
  EXPECT_TRUE(fit.draws(1).empty());
}

TEST_F(FitFileTest, AppendsAcrossReopening) {
  {
    FitFile fit = FitFile::create(path, {{"draws", 3}}, {}, false);
    commit_draws(fit, 0, 0, 3);
  }
  {
    FitFile fit = FitFile::open(path, Mode::append);
    fit.set_configuration({{"draws", 5}});
    EXPECT_EQ(fit.configuration(), nlohmann::json({{"draws", 5}}));
    commit_draws(fit, 0, 3, 2);
    fit.commit(0, 6, {}, nullptr, {});  // no draw kept, no statistics, no checkpoint
  }
  const FitFile fit = FitFile::open(path, Mode::read);
  EXPECT_EQ(fit.configuration(), nlohmann::json({{"draws", 5}}));
  EXPECT_EQ(fit.progress(), (std::vector<ChainProgress>{{0, 6, 5, false}}));
  EXPECT_EQ(fit.draws(0).back(), draw_of(0, 5));
  EXPECT_EQ(fit.checkpoint(0), std::nullopt);
  ASSERT_TRUE(fit.statistics(0));
  EXPECT_EQ(fit.statistics(0)->iteration, 5);
}

TEST_F(FitFileTest, LargeAndEmptyBlobs) {
  const auto large = random_bytes(40'000'000, 1, 1);
  {
    FitFile fit = FitFile::create(path, {}, {}, false);
    fit.put_blob("large", large);
    fit.put_blob("empty", {});
    expect_failure(failure_of([&] { fit.put_blob("empty", large); }), "InputError", "'empty'");
  }
  const FitFile fit = FitFile::open(path, Mode::read);
  EXPECT_TRUE(fit.get_blob("large") == large);
  EXPECT_TRUE(fit.get_blob("empty").empty());
  EXPECT_FALSE(fit.has_blob("table"));
  expect_failure(failure_of([&] { fit.get_blob("table"); }), "InputError", "no data named 'table'");
}

// Caught: the mutex left out of commit.
TEST_F(FitFileTest, ThreadsCommitAtOnce) {
  FitFile fit = FitFile::create(path, {}, {}, false);
  std::vector<std::thread> threads;
  for (int chain = 0; chain < 4; ++chain)
    threads.emplace_back([&, chain] {
      for (int i = 0; i < 10; ++i) commit_draws(fit, chain, i, 1);
    });
  for (auto& thread : threads) thread.join();
  for (int chain = 0; chain < 4; ++chain) EXPECT_EQ(fit.draws(chain).size(), 10u);
}

// Caught: the check that draws come in turn left out.
TEST_F(FitFileTest, RefusesDrawsOutOfTurnAndKeepsNothingOfThem) {
  FitFile fit = FitFile::create(path, {}, {}, false);
  commit_draws(fit, 0, 0, 3);
  const Content before = read_everything(fit);
  const std::vector<StoredDraw> repeated{draw_of(0, 4), draw_of(0, 4)}, late{draw_of(0, 6)}, other{draw_of(1, 4)};
  EXPECT_THROW(fit.commit(0, 3, {}, nullptr, {}), InputError);
  EXPECT_THROW(fit.commit(0, 5, repeated, nullptr, {}), InputError);
  EXPECT_THROW(fit.commit(0, 5, late, nullptr, {}), InputError);
  EXPECT_THROW(fit.commit(0, 5, other, nullptr, {}), InputError);
  EXPECT_THROW(fit.commit(-1, 5, {}, nullptr, {}), InputError);
  EXPECT_THROW(fit.commit(0, 5, {}, "\xff", {}), InputError);
  EXPECT_EQ(read_everything(fit), before);
}

// Caught: `overwrite` ignored; the old file removed before the new one is complete.
TEST_F(FitFileTest, OverwritesOnlyWhenAskedAndOnlyWithAWholeFile) {
  write_sample(path);
  const std::string before = file_bytes(path);
  expect_failure(failure_of([&] { FitFile::create(path, {}, {}, false); }), "InputError", "already exists");
  EXPECT_EQ(file_bytes(path), before);
  // The new header cannot be written: the old file stays, and nothing lies beside it.
  EXPECT_THROW(FitFile::create(path, "\xff", {}, true), InputError);
  EXPECT_EQ(file_bytes(path), before);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 1);
  {
    FitFile fit = FitFile::create(path, {{"second", true}}, {}, true);
    commit_draws(fit, 0, 0, 1);
  }
  EXPECT_EQ(read_everything(path).draws.size(), 1u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 1);
}

TEST_F(FitFileTest, OverwritesThroughALink) {
  write_sample(path);
  std::filesystem::create_symlink(path, directory / "link");
  FitFile::create(directory / "link", {{"second", true}}, {}, true);
  EXPECT_TRUE(std::filesystem::is_symlink(directory / "link"));
  EXPECT_EQ(read_everything(path).configuration, nlohmann::json({{"second", true}}));
}

TEST_F(FitFileTest, RefusesPlacesThatCannotBeWritten) {
  const auto create = [](const std::string& where) {
    return failure_of([&] { FitFile::create(where, {}, {}, false); });
  };
  expect_failure(create(directory / "none/m.mbnn"), "InputError", "no directory");
  expect_failure(create(directory.path()), "InputError", "is a directory");
  write_bytes(path, "a file");
  expect_failure(create(path + "/m.mbnn"), "InputError", "no directory");
  EXPECT_NE(create("/proc/m.mbnn").find("InputError: /proc/m.mbnn cannot be written"), std::string::npos);
  EXPECT_NE(create("").find("InputError"), std::string::npos);
  chmod(directory.path().c_str(), 0555);
  expect_failure(failure_in_child([&] {
                   give_up_root();
                   FitFile::create(directory / "other.mbnn", {}, {}, false);
                 }),
                 "InputError", "Permission denied");
}

// Caught: the lock left out. Not caught: the set of held files left out, since the lock itself refuses as well; the set
// keeps SQLite's own locks from being dropped by the attempt.
TEST_F(FitFileTest, OnlyOneWriterAtATime) {
  int ready[2], done[2];
  ASSERT_EQ(pipe(ready) | pipe(done), 0);
  const pid_t child = fork();
  if (child == 0) {
    char byte = 0;
    close(done[1]);
    FitFile fit = FitFile::create(path, {}, {}, false);
    commit_draws(fit, 0, 0, 1);
    const bool told = write(ready[1], &byte, 1) == 1;
    const ssize_t ignored = read(done[0], &byte, 1);
    _exit(told && ignored == 0 ? 0 : 1);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  expect_failure(failure_of([&] { FitFile::open(path, Mode::append); }), "InputError", "is being written");
  expect_failure(failure_of([&] { FitFile::create(path, {}, {}, true); }), "InputError", "is being written");
  EXPECT_EQ(read_everything(path).draws.size(), 1u);
  close(done[1]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);

  FitFile fit = FitFile::open(path, Mode::append);
  expect_failure(failure_of([&] { FitFile::open(path, Mode::append); }), "InputError", "is being written");
  expect_failure(failure_of([&] { FitFile::create(path, {}, {}, true); }), "InputError", "is being written");
  FitFile reader = FitFile::open(path, Mode::read);
  commit_draws(fit, 0, 1, 1);
  EXPECT_EQ(reader.draws(0).size(), 2u);
  expect_failure(failure_of([&] { commit_draws(reader, 0, 2, 1); }), "InputError", "reading only");
}

TEST_F(FitFileTest, ReadsInAReadOnlyDirectory) {
  write_sample(path);
  chmod(path.c_str(), 0444);
  chmod(directory.path().c_str(), 0555);
  EXPECT_EQ(failure_in_child([&] {
              give_up_root();
              if (read_everything(path).draws.size() != 12) throw Error("draws are missing");
            }),
            "");
  expect_failure(failure_in_child([&] {
                   give_up_root();
                   FitFile::open(path, Mode::append);
                 }),
                 "InputError", "cannot be written");
}

// Caught: the marks not compared; the check for empty files left out.
TEST_F(FitFileTest, SaysWhatAFileIsInsteadOfAFit) {
  const auto open = [](const std::string& where) { return failure_of([&] { FitFile::open(where, Mode::read); }); };
  expect_failure(open(path), "InputError", "no such file");
  expect_failure(open(directory.path()), "InputError", "found a directory");
  EXPECT_NE(open("/dev/null").find("expected a regular file"), std::string::npos);
  write_bytes(path, "");
  expect_failure(open(path), "InputError", "is not an mbnn fit: expected an SQLite database, found an empty file");
  write_bytes(path, "x,y\n1,2\n");
  expect_failure(open(path), "InputError", "is not an mbnn fit: expected an SQLite database");
  write_bytes(path, std::string(20000, 'x'));
  expect_failure(open(path), "InputError", "is not an mbnn fit: expected an SQLite database");

  std::filesystem::remove(path);
  write_sample(path);
  const std::string whole = file_bytes(path);
  std::string changed = whole;
  changed.replace(60, 4, std::string("\0\0\0\2", 4));  // user_version in the header of SQLite files
  write_bytes(path, changed);
  expect_failure(open(path), "InputError",
                 "was written by a newer mbnn (format 2; this program reads up to 1): upgrade");
  EXPECT_EQ(file_bytes(path), changed);
  changed = whole;
  changed.replace(68, 4, std::string(4, '\0'));  // application_id
  write_bytes(path, changed);
  expect_failure(open(path), "InputError", "belongs to another program");
}

}  // namespace
}  // namespace mbnn
