#include "tests/support/program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "mbnn/core/clock.h"

namespace mbnn {

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> list;
  for (std::string word; stream >> word;) list.push_back(word);
  return list;
}

std::vector<std::string> lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> list;
  for (std::string line; std::getline(stream, line);) list.push_back(line);
  return list;
}

namespace {

std::string content(std::FILE* file) {
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = pread(fileno(file), buffer, sizeof buffer, static_cast<off_t>(text.size()))) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  return text;
}

}  // namespace

const char* program() { return MBNN_PROGRAM; }

Running::Running(const std::string& directory, const std::vector<std::string>& arguments,
                 const std::function<void()>& prepare)
    : out_(std::tmpfile()), err_(std::tmpfile()) {
  std::vector<char*> argv{const_cast<char*>("mbnn")};
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  child_ = fork();
  if (child_ != 0) return;
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, 0);
  dup2(fileno(out_), 1);
  dup2(fileno(err_), 2);
  if (chdir(directory.c_str()) != 0) _exit(99);
  if (prepare) prepare();
  alarm(240);  // a program that never ends fails its test instead of holding up the rest
  execv(program(), argv.data());
  _exit(98);
}

Running::~Running() {
  if (child_ > 0) {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  std::fclose(out_);
  std::fclose(err_);
}

void Running::send(int signal) const { kill(child_, signal); }
std::string Running::out() const { return content(out_); }
std::string Running::err() const { return content(err_); }

Ended Running::wait() {
  int status = 0;
  waitpid(child_, &status, 0);
  child_ = 0;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, WIFSIGNALED(status) ? WTERMSIG(status) : 0, out(), err()};
}

double seconds_of(const std::function<void()>& run) {
  const Stopwatch watch;
  run();
  return watch.seconds();
}

std::string tiny(const std::string& line) {
  const auto given = words(line);
  const auto says = [&](const char* option, const char* value) {
    const auto found = std::find(given.begin(), given.end(), option);
    return found != given.end() && found + 1 != given.end() && *(found + 1) == value;
  };
  std::vector<std::pair<const char*, const char*>> defaults{
      {"--warmup", "20"}, {"--draws", "10"}, {"--thin", "2"}, {"--chains", "2"}};
  // Of the others, those that the fit has a use for.
  const bool network = !says("--regression", "linear") && !says("--regression", "none");
  const bool stochastic = says("--sampler", "sgld") || says("--sampler", "sghmc");
  const bool masks = network && !says("--masks", "off") && !says("--regression", "bnn");
  if (network) defaults.insert(defaults.end(), {{"--hidden", "20,20"}, {"--start-steps", "50"}});
  if (masks) defaults.insert(defaults.end(), {{"--start-width", "6"}, {"--mask-moves", "5"}});
  if (network && stochastic) defaults.emplace_back("--batches", "5");
  if (network && !stochastic)
    defaults.emplace_back(says("--sampler", "nuts") ? std::pair("--max-depth", "5")
                                                    : std::pair("--leapfrog-steps", "20"));
  std::string all = line;
  for (const auto& [name, value] : defaults)
    if (std::find(given.begin(), given.end(), name) == given.end()) all += fmt::format(" {} {}", name, value);
  return all;
}

std::string long_fit(const std::string& line, const std::string& sampler) {
  const bool hmc = sampler == "hmc";
  return tiny(fmt::format("{} --sampler {} --thin {} --warmup {} --draws 400 --masks on", line, sampler, hmc ? 30 : 40,
                          hmc ? 2000 : 3000));
}

std::string regression_table(std::size_t rows, std::uint64_t seed) {
  Rng rng(seed, 0);
  const char* colours[] = {"red", "green", "blue"};
  std::string text = "a,b,c,y\n";
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = rng.normal(), b = rng.normal();
    const auto c = rng.below(3);
    text += fmt::format("{:.4f},{:.4f},{},{:.4f}\n", a, b, colours[c],
                        std::sin(a) + 0.5 * b + (c == 0) + 0.1 * rng.normal());
  }
  return text;
}

std::string class_table(const std::vector<std::string>& labels, std::size_t rows) {
  Rng rng(2, 0);
  std::string text = "a,b,kind\n";
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = rng.uniform();
    text += fmt::format(
        "{:.4f},{:.4f},{}\n", a, rng.normal(),
        labels[std::min(labels.size() - 1, static_cast<std::size_t>(a * static_cast<double>(labels.size())))]);
  }
  return text;
}

std::vector<StoredDraw> stored_draws(const std::string& path) {
  std::vector<StoredDraw> list;
  FitFile::open(path, FitFile::Mode::read).for_each_draw([&](StoredDraw draw) { list.push_back(std::move(draw)); });
  return list;
}

bool same_bits(const StoredDraw& a, const StoredDraw& b) {
  return a.chain == b.chain && a.iteration == b.iteration && a.state == b.state &&
         a.scalars.size() == b.scalars.size() &&
         std::memcmp(a.scalars.data(), b.scalars.data(), a.scalars.size() * sizeof(double)) == 0;
}

::testing::AssertionResult same_draws(const std::vector<StoredDraw>& a, const std::vector<StoredDraw>& b) {
  if (a.size() != b.size()) return ::testing::AssertionFailure() << a.size() << " draws and " << b.size();
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!same_bits(a[i], b[i]))
      return ::testing::AssertionFailure()
             << "first difference: draw " << i << ", chain " << a[i].chain << ", iteration " << a[i].iteration
             << " beside chain " << b[i].chain << ", iteration " << b[i].iteration;
  return ::testing::AssertionSuccess();
}

bool all_among(const std::vector<StoredDraw>& part, const std::vector<StoredDraw>& whole) {
  return std::all_of(part.begin(), part.end(), [&](const StoredDraw& d) {
    return std::any_of(whole.begin(), whole.end(), [&](const StoredDraw& w) { return same_bits(d, w); });
  });
}

std::vector<std::vector<double>> csv_numbers(const std::string& text) {
  std::vector<std::vector<double>> rows;
  for (const auto& line : lines(text)) {
    if (rows.empty() && !std::isdigit(line[0]) && line[0] != '-') continue;  // the header
    auto& row = rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(std::stod(cell));
  }
  return rows;
}

std::set<std::string> CommandLine::files() const {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory_.path()))
    names.insert(entry.path().filename());
  return names;
}

Ended CommandLine::run(const std::vector<std::string>& arguments, const std::function<void()>& prepare) const {
  return Running(directory_.path(), arguments, prepare).wait();
}

Ended CommandLine::run(const std::string& line, const std::function<void()>& prepare) const {
  return run(words(line), prepare);
}

void CommandLine::run_well(const std::string& line) const {
  const Ended ended = run(line);
  ASSERT_EQ(ended.code, 0) << line << "\n" << ended.err;
}

void CommandLine::fit_regression(const std::string& more) const {
  write("r.csv", regression_table());
  run_well(tiny("fit r.csv --target y --out r.mbnn -q " + more));
}

void CommandLine::expect_refused(const std::string& line, const std::vector<std::string>& said) const {
  std::map<std::string, std::string> before, after;
  for (const auto& name : files()) before[name] = content(name);
  const Ended ended = run(line);
  for (const auto& name : files()) after[name] = content(name);
  EXPECT_EQ(ended.code, 2) << line << "\n" << ended.err;
  EXPECT_EQ(ended.out, "") << line;
  EXPECT_TRUE(before == after) << line << ": changed the files";
  for (const auto& part : said) EXPECT_THAT(ended.err, HasSubstr(part)) << line;
}

std::string CommandLine::content(const std::string& name) const {
  return std::filesystem::is_directory(path(name)) ? "a directory" : read(name);
}

}  // namespace mbnn
