// Standard streams that are closed at the start: what is printed never gets into a file that took a stream's number.
#include "tests/support/images.h"
#include "tests/support/program.h"

namespace mbnn {
namespace {

using Streams = std::vector<int>;

const std::vector<Streams> kClosed{{0}, {1}, {2}, {0, 2}, {0, 1, 2}};

std::function<void()> without(const Streams& streams) {
  return [streams] {
    for (const int stream : streams) close(stream);
  };
}

bool among(const Streams& streams, int stream) { return std::ranges::count(streams, stream) > 0; }

std::string described(const Streams& streams) { return fmt::format("closed: {}", fmt::join(streams, " ")); }

class ClosedStreams : public CommandLine {
 protected:
  void SetUp() override { write("r.csv", regression_table()); }

  // Sends SIGTERM once the program has stored something beyond iteration `after`.
  Ended stop(const std::string& line, const std::string& file, std::int64_t after, const Streams& closed) const {
    Running program(directory(), words(line), without(closed));
    for (int i = 0; i < 4000; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      const auto progress = FitFile::open(path(file), FitFile::Mode::read).progress();
      if (std::ranges::any_of(progress, [&](const ChainProgress& chain) { return chain.iteration > after; })) break;
    }
    program.send(SIGTERM);
    return program.wait();
  }
};

// Caught: numbers left free, upon which the fit began with "60 rows, 5 inputs".
TEST_F(ClosedStreams, AFitIsTheSame) {
  const std::string line = tiny("fit r.csv --target y");
  run_well(line + " --out whole.mbnn -q");
  const auto whole = stored_draws(path("whole.mbnn"));
  for (const Streams& closed : kClosed)
    for (const std::string more : {"", " -q"}) {
      SCOPED_TRACE(described(closed) + more);
      const Ended ended = run(line + " --force --out r.mbnn" + more, without(closed));
      EXPECT_EQ(ended.signal, 0);
      // What could not be printed is a failure, as on a full disk; the fit is there all the same.
      EXPECT_EQ(ended.code, among(closed, 1) && more != " -q" ? 1 : 0) << ended.err;
      EXPECT_TRUE(same_draws(stored_draws(path("r.mbnn")), whole));
    }
}

// Caught: numbers left free, upon which the fit began with "interrupted; everything so far is saved".
TEST_F(ClosedStreams, AnInterruptedResumeLosesNothing) {
  fit_regression("--seed 3");
  const auto before = stored_draws(path("r.mbnn"));
  const std::string begun = read("r.mbnn");
  for (const Streams& closed : kClosed) {
    SCOPED_TRACE(described(closed));
    write("r.mbnn", begun);
    const Ended ended = stop("resume r.mbnn --draws 100000 --threads 1", "r.mbnn", 40, closed);
    EXPECT_EQ(ended.signal, 0);
    EXPECT_EQ(ended.code, 1);
    const bool told = ended.err.find("interrupted; everything so far is saved") != std::string::npos;
    EXPECT_EQ(told, !among(closed, 2)) << ended.err;
    const auto after = stored_draws(path("r.mbnn"));
    EXPECT_GT(after.size(), before.size());
    EXPECT_TRUE(all_among(before, after));
  }
}

// Caught: a closed output taken for one that swallows what it gets: no predictions, and exit code 0.
TEST_F(ClosedStreams, AResultThatCannotBeWrittenIsAFailure) {
  fit_regression();
  const std::string fit = read("r.mbnn");
  for (const std::string line : {"predict r.mbnn r.csv", "predict r.mbnn r.csv --json", "evaluate r.mbnn r.csv",
                                 "summary r.mbnn", "diagnose r.mbnn", "diagnose r.mbnn --json"}) {
    const Ended open = run(line);
    for (const Streams& closed : kClosed) {
      SCOPED_TRACE(line + ", " + described(closed));
      const Ended ended = run(line, without(closed));
      EXPECT_EQ(ended.signal, 0);
      EXPECT_EQ(ended.code, among(closed, 1) ? 1 : open.code);
      EXPECT_EQ(ended.out, among(closed, 1) ? "" : open.out);
      const bool told = ended.err.find("output") != std::string::npos;
      EXPECT_EQ(told, among(closed, 1) && !among(closed, 2)) << ended.err;
      EXPECT_TRUE(read("r.mbnn") == fit);
    }
  }
  // A file does not need the streams.
  for (const Streams& closed : kClosed) {
    EXPECT_EQ(run("predict r.mbnn r.csv -q --out p.csv", without(closed)).code, 0) << described(closed);
    EXPECT_EQ(lines(read("p.csv")).size(), 61u);
  }
}

TEST_F(ClosedStreams, AnInputThatIsClosedIsRefused) {
  fit_regression();
  const Ended ended = run("predict r.mbnn -", without({0}));
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.out, "");
}

// Caught: a fit that began with "240 images of 1 x 12 x 12", and one of a series that was never there.
TEST_F(ClosedStreams, ImagesAndSeriesAreFittedWithoutMessages) {
  write_stripes(path("stripes"));
  const std::string images =
      "image fit --data stripes --base-width 4 --batch 20 --burn-in 1 --draws 2 --thin 1 --threads 1 --out i.mbnn";
  std::string series = "day,visits\n";
  for (int t = 1; t <= 40; ++t) series += fmt::format("{},{}\n", t, t * t % 17);
  write("s.csv", series);
  EXPECT_EQ(run(images, without({2})).code, 0);
  EXPECT_EQ(stored_draws(path("i.mbnn")).size(), 2u);
  EXPECT_EQ(run(tiny("series fit s.csv --target visits --date day --regression none --out s.mbnn"), without({2})).code,
            0);
  EXPECT_EQ(stored_draws(path("s.mbnn")).size(), 20u);
}

}  // namespace
}  // namespace mbnn
