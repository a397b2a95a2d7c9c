// What the tests of the command line share: the program run in a directory of its own, small tables, and stored draws.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "mbnn/core/rng.h"
#include "mbnn/store/fit_file.h"
#include "tests/support/fit_files.h"

namespace mbnn {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// The program under test.
const char* program();

std::vector<std::string> words(const std::string& text);
std::vector<std::string> lines(const std::string& text);

// How a run of the program ended: its exit code, or -1 and the signal that ended it.
struct Ended {
  int code = -1, signal = 0;
  std::string out, err;
};

// The program at work. Its output goes to unnamed files, so that it never waits for a reader.
class Running {
 public:
  // `prepare` runs in the child before the program does.
  Running(const std::string& directory, const std::vector<std::string>& arguments,
          const std::function<void()>& prepare = {});
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  void send(int signal) const;
  std::string out() const;
  std::string err() const;
  Ended wait();

 private:
  std::FILE *out_, *err_;
  pid_t child_ = 0;
};

// How long a run takes here and now: disturbances are placed within it.
double seconds_of(const std::function<void()>& run);

// Options that make a fit take a few hundredths of a second; those that `line` gives itself are left to it.
std::string tiny(const std::string& line);

// Long enough (about two seconds) to be disturbed several times between two commits of a chain.
std::string long_fit(const std::string& line, const std::string& sampler);

// a and b are numbers, c is a category; y = sin(a) + b/2 + (c is red) + noise.
std::string regression_table(std::size_t rows = 60, std::uint64_t seed = 1);

// The class is told by which of the thresholds a lies between.
std::string class_table(const std::vector<std::string>& labels, std::size_t rows = 60);

// The rows of a CSV without its header.
std::vector<std::vector<double>> csv_numbers(const std::string& text);

std::vector<StoredDraw> stored_draws(const std::string& path);
bool same_bits(const StoredDraw& a, const StoredDraw& b);

// Says where two lists of draws part instead of printing them.
::testing::AssertionResult same_draws(const std::vector<StoredDraw>& a, const std::vector<StoredDraw>& b);

// Whether each of `part` stands, bit for bit, in `whole`.
bool all_among(const std::vector<StoredDraw>& part, const std::vector<StoredDraw>& whole);

class CommandLine : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const { write_bytes(directory_ / name, text); }
  std::string read(const std::string& name) const { return file_bytes(directory_ / name); }
  bool exists(const std::string& name) const { return std::filesystem::exists(directory_ / name); }
  std::string path(const std::string& name) const { return directory_ / name; }
  std::set<std::string> files() const;

  Ended run(const std::vector<std::string>& arguments, const std::function<void()>& prepare = {}) const;
  Ended run(const std::string& line, const std::function<void()>& prepare = {}) const;
  void run_well(const std::string& line) const;
  // A small regression fit r.mbnn of the table r.csv.
  void fit_regression(const std::string& more = "") const;
  // Wrong input: exit code 2, the words on stderr, nothing on stdout, and every file as it was.
  void expect_refused(const std::string& line, const std::vector<std::string>& said) const;
  std::string directory() const { return directory_.path(); }

 private:
  std::string content(const std::string& name) const;
  TemporaryDirectory directory_;
};

}  // namespace mbnn
