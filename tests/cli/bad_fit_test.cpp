// Files that are no fits, newer ones and damaged ones, given to every verb that reads a fit.
#include "tests/support/program.h"

namespace mbnn {
namespace {

class BadFit : public CommandLine {
 protected:
  void SetUp() override { write("r.csv", regression_table()); }

  // Every verb, with this exit code and these words, and neither the file nor predictions changed.
  void refuse_everywhere(const std::string& name, int code, const std::vector<std::string>& said) {
    const std::string before = read(name);
    for (const auto* line : {"summary {}", "diagnose {}", "resume {}", "resume {} --draws 5", "evaluate {} r.csv",
                             "predict {} r.csv --out p.csv"}) {
      const Ended ended = run(fmt::format(fmt::runtime(line), name));
      EXPECT_EQ(ended.code, code) << line << ": " << ended.err;
      EXPECT_EQ(ended.out, "") << line;
      for (const auto& part : said) EXPECT_THAT(ended.err, HasSubstr(part)) << line;
    }
    EXPECT_TRUE(read(name) == before) << name << " was changed";
    EXPECT_FALSE(exists("p.csv"));
  }
  void sqlite(const std::string& name, const std::string& statement) const {
    const std::string command = fmt::format("sqlite3 '{}' \"{}\"", path(name), statement);
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }
  static bool has_sqlite() { return std::system("sqlite3 --version > /dev/null 2>&1") == 0; }
};

TEST_F(BadFit, ThatIsNotThere) {
  expect_refused("summary no.mbnn", {"no.mbnn: no such file"});
  expect_refused("predict no.mbnn r.csv --out p.csv", {"no.mbnn: no such file"});
  std::filesystem::create_directory(path("folder"));
  expect_refused("resume folder", {"folder is not an mbnn fit", "directory"});
}

TEST_F(BadFit, ThatStandsWhereTheTableBelongs) {
  fit_regression();
  for (const auto* verb : {"predict", "evaluate", "series forecast", "series evaluate"})
    expect_refused(fmt::format("{} r.csv r.mbnn", verb), {"r.mbnn is a fit, and r.csv is none: the fit comes first"});
}

TEST_F(BadFit, ThatIsSomethingElse) {
  refuse_everywhere("r.csv", 2, {"r.csv is not an mbnn fit", "SQLite"});
  write("empty.mbnn", "");
  refuse_everywhere("empty.mbnn", 2, {"empty.mbnn is not an mbnn fit", "empty file"});
  write("short.mbnn", "SQLite format 3");
  refuse_everywhere("short.mbnn", 2, {"short.mbnn is not an mbnn fit"});
  if (!has_sqlite()) GTEST_SKIP() << "needs the program sqlite3";
  sqlite("other.db", "create table music (title text)");
  refuse_everywhere("other.db", 2, {"other.db is not an mbnn fit", "another program"});
}

TEST_F(BadFit, ThatANewerProgramWrote) {
  fit_regression();
  std::string bytes = read("r.mbnn");
  bytes[63] = 9;  // the last byte of SQLite's user_version
  write("newer.mbnn", bytes);
  refuse_everywhere("newer.mbnn", 2, {"newer.mbnn was written by a newer mbnn (format 9", "upgrade"});
}

TEST_F(BadFit, ThatWasCutShort) {
  fit_regression();
  const std::string bytes = read("r.mbnn");
  for (const double share : {0.3, 0.7, 0.95}) {
    write("cut.mbnn", bytes.substr(0, static_cast<std::size_t>(share * static_cast<double>(bytes.size()))));
    refuse_everywhere("cut.mbnn", 1, {"cut.mbnn is damaged"});
  }
}

// Wherever a bit flips: the verb says so, or the bit was in none of the bytes that matter and the answer is the same.
TEST_F(BadFit, WithFlippedBits) {
  fit_regression();
  const std::string bytes = read("r.mbnn");
  run_well("predict r.mbnn r.csv --out good.csv -q");
  Rng rng(11, 0);
  int refused = 0;
  for (int i = 0; i < 60; ++i) {
    std::string changed = bytes;
    changed[rng.below(bytes.size())] ^= static_cast<char>(1 << rng.below(8));
    write("flipped.mbnn", changed);
    const Ended ended = run("predict flipped.mbnn r.csv --out p.csv -q");
    ASSERT_EQ(ended.signal, 0);
    if (ended.code == 0) {
      EXPECT_EQ(read("p.csv"), read("good.csv"));
      std::filesystem::remove(path("p.csv"));
    } else {
      ++refused;
      EXPECT_THAT(ended.err, HasSubstr("flipped.mbnn"));
      EXPECT_FALSE(exists("p.csv"));
    }
  }
  EXPECT_GT(refused, 5);  // the rest hit statistics, checkpoints and free space, which predictions do not need
}

// A network of another shape than its weights would be read beyond their end.
TEST_F(BadFit, WhoseDrawsDoNotMatchItsConfiguration) {
  fit_regression();
  {
    FitFile file = FitFile::open(path("r.mbnn"), FitFile::Mode::append);
    auto configuration = file.configuration();
    configuration["hidden"] = {20};
    file.set_configuration(configuration);
  }
  for (const auto* line : {"summary r.mbnn", "predict r.mbnn r.csv --out p.csv", "diagnose r.mbnn"}) {
    const Ended ended = run(line);
    EXPECT_EQ(ended.code, 2) << line;
    EXPECT_THAT(ended.err, AllOf(HasSubstr("r.mbnn"), HasSubstr("another number of hidden layers"))) << line;
  }
}

TEST_F(BadFit, ThatHasNoDrawsYet) {
  Running fit(directory(), words(tiny("fit r.csv --target y --out r.mbnn -q --warmup 100000000")));
  while (!exists("r.mbnn")) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  fit.send(SIGINT);
  EXPECT_EQ(fit.wait().code, 1);
  EXPECT_EQ(run("summary r.mbnn").code, 0);
  for (const auto* line : {"predict r.mbnn r.csv --out p.csv", "evaluate r.mbnn r.csv", "diagnose r.mbnn"})
    expect_refused(line, {"r.mbnn has no draws yet", "mbnn resume r.mbnn"});
}

}  // namespace
}  // namespace mbnn
