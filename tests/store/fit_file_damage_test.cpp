// Kills, full disks, cuts and flipped bits: a fit keeps what was committed, or says that it is damaged.
// Each test names the deliberate break of the code that it was seen to catch.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <chrono>
#include <optional>
#include <thread>

#include "mbnn/core/error.h"
#include "mbnn/core/rng.h"
#include "tests/support/fit_files.h"

namespace mbnn {
namespace {

using Mode = FitFile::Mode;
using std::chrono::milliseconds;

// Every draw up to the last commit, whole, with the checkpoint and statistics of that same commit.
void expect_whole(const Content& content, int draws_a_commit) {
  std::size_t next = 0;
  for (const auto& row : content.progress) {
    EXPECT_EQ(row.draws, row.iteration);
    for (std::int64_t iteration = 1; iteration <= row.iteration; ++iteration, ++next)
      ASSERT_TRUE(next < content.draws.size() && content.draws[next] == draw_of(row.chain, iteration));
    EXPECT_EQ(content.checkpoints.at(row.chain), checkpoint_of(row.chain, row.iteration));
    EXPECT_EQ(row.iteration % draws_a_commit, 0);
  }
  EXPECT_EQ(next, content.draws.size());
  ASSERT_EQ(content.statistics.size(), content.progress.size());
  for (std::size_t i = 0; i < content.progress.size(); ++i)
    EXPECT_EQ(content.statistics[i].iteration, content.progress[i].iteration);
}

// Commits three draws a time for two chains in turn, and says so on the pipe after each commit.
[[noreturn]] void write_until_killed(const std::string& path, int acknowledge, milliseconds pause = {}) {
  FitFile fit = FitFile::open(path, Mode::append);
  std::int64_t before[2] = {0, 0};
  for (const auto& row : fit.progress()) before[row.chain] = row.iteration;
  for (int chain = 0;; chain = 1 - chain) {
    commit_draws(fit, chain, before[chain], 3);
    before[chain] += 3;
    const std::int64_t line[2] = {chain, before[chain]};
    if (write(acknowledge, line, sizeof line) != sizeof line) _exit(1);
    std::this_thread::sleep_for(pause);
  }
}

// Caught: commit without its transaction (draws without checkpoint); journal_mode = OFF.
TEST(FitFileDamage, KillsAtRandomMomentsLoseNothingAcknowledged) {
  const TemporaryDirectory directory;
  const std::string path = directory / "m.mbnn";
  FitFile::create(path, {}, {}, false);
  Rng rng(11);
  int journals = 0, unseen = 0;
  std::int64_t acknowledged[2] = {0, 0};
  for (int kills = 0; kills < 60; ++kills) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) write_until_killed(path, ends[1]);
    close(ends[1]);
    std::this_thread::sleep_for(std::chrono::microseconds(rng.below(60'000)));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    for (std::int64_t line[2]; read(ends[0], line, sizeof line) == sizeof line;) acknowledged[line[0]] = line[1];
    close(ends[0]);
    journals += std::filesystem::exists(path + "-journal");
    ++unseen;
    if (kills % 3 == 0) continue;  // here the next writer is the one that finds what was left
    Content content;
    ASSERT_EQ(failure_of([&] { content = read_everything(path); }), "");
    ASSERT_NO_FATAL_FAILURE(expect_whole(content, 3));
    for (const auto& row : content.progress) {
      EXPECT_GE(row.iteration, acknowledged[row.chain]);
      EXPECT_LE(row.iteration, acknowledged[row.chain] + 3 * unseen);  // a commit may be cut off unheard at each kill
      acknowledged[row.chain] = row.iteration;
    }
    unseen = 0;
  }
  EXPECT_GT(acknowledged[0], 30);
  EXPECT_GT(journals, 0) << "no kill fell into a commit: nothing was tested";
}

// A writer is killed once a large commit has begun to overwrite the file itself: its journal is needed to go back.
void kill_within_commit(const std::string& path) {
  const auto size = std::filesystem::file_size(path);
  const pid_t child = fork();
  if (child == 0) {
    FitFile fit = FitFile::open(path, Mode::append);
    commit_draws(fit, 1, 4, 4000, 30'000);
    _exit(0);
  }
  while (std::filesystem::file_size(path) < size + 1'000'000) std::this_thread::sleep_for(milliseconds(1));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  ASSERT_TRUE(std::filesystem::exists(path + "-journal"));
}

// Caught: readers opened with SQLITE_OPEN_READONLY, which cannot undo what a killed writer left.
TEST(FitFileDamage, AReaderUndoesAnUnfinishedCommit) {
  const TemporaryDirectory directory;
  const std::string path = directory / "m.mbnn";
  write_sample(path);
  const Content before = read_everything(path);
  ASSERT_NO_FATAL_FAILURE(kill_within_commit(path));

  // One who may not write is told, and told what to do.
  chmod(path.c_str(), 0444);
  chmod(directory.path().c_str(), 0555);
  const std::string failure = failure_in_child([&] {
    give_up_root();
    FitFile::open(path, Mode::read);
  });
  EXPECT_NE(failure.find("Error: " + path + " was left in the middle of a write"), std::string::npos) << failure;
  chmod(path.c_str(), 0644);
  chmod(directory.path().c_str(), 0755);

  EXPECT_EQ(read_everything(path), before);
  EXPECT_FALSE(std::filesystem::exists(path + "-journal"));
}

// Caught: stale journals not cleared, which SQLite then writes into the new file.
TEST(FitFileDamage, AJournalOfTheOldFileIsNotAppliedToTheNew) {
  const TemporaryDirectory directory;
  const std::string path = directory / "m.mbnn";
  write_sample(path);
  ASSERT_NO_FATAL_FAILURE(kill_within_commit(path));
  std::filesystem::copy(path + "-journal", directory / "saved");
  FitFile::create(path, {{"new", true}}, {}, true);
  EXPECT_EQ(read_everything(path).configuration, nlohmann::json({{"new", true}}));

  std::filesystem::remove(path);
  std::filesystem::copy(directory / "saved", path + "-journal");
  EXPECT_NE(failure_of([&] { FitFile::create(path, {}, {}, false); }).find("-journal is left over"), std::string::npos);
}

// Caught: a busy timeout of 0. Not caught: the retry after a vanished journal left out, a window too small to hit.
TEST(FitFileDamage, ReadersDoNotFailWhileAFitRuns) {
  const TemporaryDirectory directory;
  const std::string path = directory / "m.mbnn";
  FitFile::create(path, {}, {}, false);
  const int sink = open("/dev/null", O_WRONLY | O_CLOEXEC);
  const pid_t writer = fork();
  if (writer == 0) write_until_killed(path, sink, milliseconds(2));
  close(sink);
  const auto read_for_a_while = [&] {
    const auto end = std::chrono::steady_clock::now() + milliseconds(500);
    while (std::chrono::steady_clock::now() < end) {
      const FitFile fit = FitFile::open(path, Mode::read);
      for (const auto& row : fit.progress()) fit.checkpoint(row.chain);
      fit.for_each_draw([](const StoredDraw&) {});
    }
  };
  EXPECT_EQ(failure_of(read_for_a_while), "");
  EXPECT_EQ(failure_in_child([&] {
              give_up_root();
              read_for_a_while();
            }),
            "");
  kill(writer, SIGKILL);
  waitpid(writer, nullptr, 0);
}

// What one commit too many says, and that the same connection and all earlier draws survive it.
std::string fill_up(const std::string& path) {
  FitFile fit = FitFile::create(path, {}, {}, false);
  std::string failure;
  std::int64_t iteration = 0;
  for (; iteration < 3000 && failure.empty(); iteration += failure.empty() ? 3 : 0)
    failure = failure_of([&] { commit_draws(fit, 0, iteration, 3); });
  const Content content = read_everything(fit);
  if (static_cast<std::int64_t>(content.draws.size()) != iteration || iteration < 30) return "draws were lost";
  if (read_everything(path) != content) return "another reader sees something else";
  return failure;
}

// Caught: the error of COMMIT ignored.
TEST(FitFileDamage, AFailedWriteKeepsWhatWasCommitted) {
  const TemporaryDirectory directory;
  const std::string path = directory / "m.mbnn";
  const std::string failure = failure_in_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{300'000, 300'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    throw Error(fill_up(path));
  });
  EXPECT_NE(failure.find("Error: Error: " + path), std::string::npos) << failure;
  EXPECT_NE(failure.find("writing failed"), std::string::npos) << failure;
  EXPECT_EQ(failure_of([&] { expect_whole(read_everything(path), 3); }), "");
}

TEST(FitFileDamage, AFullDiskIsCalledSo) {
  const TemporaryDirectory directory;
  const std::string failure = failure_in_child([&] {
    if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", directory.path().c_str(), "tmpfs", 0, "size=1m") != 0)
      throw InputError("may not mount");
    throw Error(fill_up(directory / "m.mbnn"));
  });
  if (failure == "InputError: may not mount") GTEST_SKIP() << "a small file system needs root";
  EXPECT_EQ(failure, "Error: Error: " + (directory / "m.mbnn") + " cannot be written: disk full");
}

// Opens and reads all of a damaged file: the content if that is possible, nothing if an mbnn::Error said why not.
std::optional<Content> read_damaged(const std::string& path, const std::string& bytes) {
  write_bytes(path, bytes);
  try {
    return read_everything(path);
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
    return std::nullopt;
  }
}

TEST(FitFileDamage, CutFilesAreNotRead) {
  const TemporaryDirectory directory;
  const std::string path = directory / "m.mbnn", cut = directory / "cut.mbnn";
  write_sample(path);
  const std::string whole = file_bytes(path);
  std::vector<std::size_t> lengths{1, 15, 16, 99, 100, 511, 512, 4095, 4096, 4097, whole.size() - 1};
  for (std::size_t length = 600; length < whole.size(); length += 997) lengths.push_back(length);
  for (const std::size_t length : lengths)
    EXPECT_EQ(read_damaged(cut, whole.substr(0, length)), std::nullopt) << length;
}

// Caught: the checksums of draw, blob or checkpoint not compared.
TEST(FitFileDamage, FlippedBitsAreFoundOrHarmless) {
  const TemporaryDirectory directory;
  const std::string path = directory / "m.mbnn", flipped = directory / "flipped.mbnn";
  write_sample(path);
  const std::string whole = file_bytes(path);
  const Content content = read_everything(path);
  Rng rng(12);
  int found = 0;
  const char* more = std::getenv("MBNN_TEST_FLIPS");  // for a long search by hand
  const int flips = more ? std::atoi(more) : 800;
  for (int flip = 0; flip < flips; ++flip) {
    std::string bytes = whole;
    const std::size_t place = flip < 200 ? rng.below(4096) : rng.below(whole.size());  // more of header and schema
    const int bit = static_cast<int>(rng.below(8));
    bytes[place] = static_cast<char>(bytes[place] ^ (1 << bit));
    const auto read = read_damaged(flipped, bytes);
    found += !read;
    ASSERT_TRUE(!read || *read == content) << "bit " << bit << " of byte " << place;
  }
  EXPECT_GT(found, flips / 4);  // the rest falls into space that is not used
}

// Every place of `text` outside the first page, which holds the schema, changed in turn by one bit.
std::vector<std::string> failures_of_changed(const std::string& path, const std::string& text) {
  const std::string whole = file_bytes(path);
  std::vector<std::string> failures;
  for (std::size_t place = whole.find(text, 4096); place != std::string::npos; place = whole.find(text, place + 1)) {
    std::string bytes = whole;
    bytes[place + text.size() - 1] ^= 1;
    write_bytes(path, bytes);
    failures.push_back(failure_of([&] { read_everything(path); }));
  }
  write_bytes(path, whole);
  return failures;
}

// Caught: the checksums of meta, note or statistics not compared; no integrity check (an index without its row).
TEST(FitFileDamage, FindsChangedTextAndNames) {
  const TemporaryDirectory directory;
  const std::string path = directory / "m.mbnn";
  write_sample(path);
  const std::vector<std::pair<std::string, std::string>> cases{{"\"seed\":7", "table meta, configuration"},
                                                               {"column x: 3", "table note, note 1"},
                                                               {"\"accepted\":3", "table statistics, chain "},
                                                               {"table", " is damaged: "}};
  for (const auto& [text, expected] : cases) {
    const auto failures = failures_of_changed(path, text);
    EXPECT_FALSE(failures.empty()) << text;
    for (const auto& failure : failures) EXPECT_NE(failure.find(expected), std::string::npos) << text << failure;
  }
}

// Caught: no checksum compared.
TEST(FitFileDamage, NamesTheDamagedDraw) {
  const TemporaryDirectory directory;
  const std::string path = directory / "m.mbnn";
  write_sample(path);
  std::string bytes = file_bytes(path);
  const auto state = draw_of(2, 3).state;
  const std::size_t place = bytes.find(std::string(reinterpret_cast<const char*>(state.data()), 100));
  ASSERT_NE(place, std::string::npos);
  bytes[place + 50] ^= 1;
  write_bytes(path, bytes);
  const FitFile fit = FitFile::open(path, Mode::read);
  const std::string failure = failure_of([&] { fit.draws(2); });
  EXPECT_EQ(failure.find("Error: " + path + " is damaged: table draw, chain 2, draw of iteration 3"), 0u) << failure;
  EXPECT_EQ(fit.draws(1).size(), 4u);  // the other chains are not held hostage
}

}  // namespace
}  // namespace mbnn
