// Files on their way to their names: nobody can plant them, signals take them along, and those of killed programs go.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mbnn/store/writer_lock.h"
#include "tests/support/program.h"

namespace mbnn {
namespace {

class OutputFiles : public CommandLine {
 protected:
  void SetUp() override { write("r.csv", regression_table()); }
  std::vector<std::string> partial() const {
    std::vector<std::string> found;
    for (const std::string& name : files())
      if (name.find(".partial-") != std::string::npos || name.ends_with(".tmp")) found.push_back(name);
    return found;
  }
  void age(const std::string& name, int seconds) const {
    const timespec then{time(nullptr) - seconds, 0}, times[] = {then, then};
    ASSERT_EQ(utimensat(AT_FDCWD, path(name).c_str(), times, 0), 0);
  }
};

// Caught: a temporary name that could be guessed, opened through whatever link stood there.
TEST_F(OutputFiles, AreNotWrittenThroughLinks) {
  fit_regression();
  write("secret", "keep this");
  for (const std::string verb : {"predict r.mbnn r.csv -q --out p.csv", "fit r.csv --target y --out p.mbnn -q"}) {
    const Ended ended = run(tiny(verb), [] {
      for (const char* name : {"p.csv", "p.mbnn"})
        for (const char* form : {"{}.{}.tmp", "{}.partial-{}", "{}.partial-{}-0"})
          if (symlink("secret", fmt::format(fmt::runtime(form), name, getpid()).c_str()) != 0) _exit(97);
    });
    EXPECT_TRUE(ended.code == 0 || ended.code == 2) << ended.err;
    EXPECT_EQ(read("secret"), "keep this");
  }
}

// Caught: no handler, with which each of these leaves a file behind.
TEST_F(OutputFiles, GoWithTheProgramThatASignalEnds) {
  fit_regression();
  write("large.csv", regression_table(200'000));
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    Running predict(directory(), words("predict r.mbnn large.csv --threads 1 -q --out p.csv"));
    for (int i = 0; i < 20'000 && partial().empty(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(partial().size(), 1u);
    predict.send(signal);
    EXPECT_EQ(predict.wait().signal, signal);
    EXPECT_EQ(partial(), std::vector<std::string>{});
    EXPECT_FALSE(exists("p.csv"));
  }
}

// Caught: "the file or its directory is read-only".
TEST_F(OutputFiles, AFitThatIsRemovedWhileItRunsIsCalledSo) {
  Running fit(directory(), words(tiny("fit r.csv --target y --out r.mbnn -q --warmup 100000000")));
  for (int i = 0; i < 20'000 && !exists("r.mbnn"); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // it is there, and then opened
  std::filesystem::remove(path("r.mbnn"));
  const Ended ended = fit.wait();
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("r.mbnn was removed or replaced while it was being written"));
}

// Caught: nothing swept; links, young files and those in use swept.
TEST_F(OutputFiles, OfKilledProgramsAreRemovedByTheNext) {
  fit_regression();
  for (const std::string target : {"p.csv", "p.mbnn"}) {
    const auto line = [&] {
      return target == "p.csv" ? std::string("predict r.mbnn r.csv -q --out p.csv")
                               : tiny("fit r.csv --target y --out p.mbnn -q --force");
    };
    const std::string old = target + ".partial-77-0000abcd", young = target + ".partial-78-0000abcd",
                      used = target + ".partial-79-0000abcd", link = target + ".partial-80-0000abcd",
                      other = "other-" + target + ".partial-77-0000abcd";
    for (const std::string& name : {old, old + "-journal", young, used, other}) write(name, "x");
    write("precious", "x");
    std::filesystem::create_symlink("precious", path(link));
    for (const std::string& name : {old, old + "-journal", used, other, std::string("precious")}) age(name, 120);
    const WriterLock held = WriterLock::acquire(path(used), used);
    run_well(line());
    EXPECT_FALSE(exists(old));
    EXPECT_FALSE(exists(old + "-journal"));
    for (const std::string& name : {young, used, link, other, std::string("precious")})
      EXPECT_TRUE(exists(name)) << name;
    for (const std::string& name : partial()) std::filesystem::remove(path(name));
  }
}

}  // namespace
}  // namespace mbnn
