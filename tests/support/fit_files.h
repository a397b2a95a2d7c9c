// What the tests of the fit file share: a directory of their own, draws that can be known again, and child processes.
#pragma once

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "mbnn/core/error.h"
#include "mbnn/core/rng.h"
#include "mbnn/store/fit_file.h"

namespace mbnn {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "mbnn-fit-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw Error("mkdtemp failed");
    path_ = pattern;
    chmod(path_.c_str(), 0755);  // children that give up root must be able to enter
  }
  ~TemporaryDirectory() {
    chmod(path_.c_str(), 0755);
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::vector<std::byte> random_bytes(std::size_t size, std::uint64_t seed, std::uint64_t stream) {
  Rng rng(seed, stream);
  std::vector<std::byte> bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::byte>(rng.bits() & 0xff);
  return bytes;
}

// Given by its chain and iteration alone, so that any process can tell whether it is whole.
inline StoredDraw draw_of(int chain, std::int64_t iteration, std::size_t size = 700) {
  return {chain, iteration, random_bytes(size, 1 + chain, iteration), {0.5 * iteration, -1.0 / (1 + chain)}};
}

inline std::vector<std::byte> checkpoint_of(int chain, std::int64_t iteration) {
  return random_bytes(1500, 100 + chain, iteration);
}

// Commits `draws` iterations after `before`, each with its draw.
inline void commit_draws(FitFile& fit, int chain, std::int64_t before, int draws, std::size_t size = 700) {
  std::vector<StoredDraw> batch;
  for (int i = 1; i <= draws; ++i) batch.push_back(draw_of(chain, before + i, size));
  fit.commit(chain, before + draws, batch, {{"accepted", before}}, checkpoint_of(chain, before + draws));
}

// All that can be read of a fit.
struct Content {
  nlohmann::json configuration, encoding;
  std::vector<std::string> notes;
  std::vector<std::byte> table;
  std::vector<ChainProgress> progress;
  std::vector<StoredDraw> draws;
  std::map<int, std::vector<std::byte>> checkpoints;
  std::vector<StoredStatistics> statistics;
  bool operator==(const Content&) const = default;
};

inline Content read_everything(const FitFile& fit) {
  Content content{.configuration = fit.configuration(),
                  .encoding = fit.encoding(),
                  .notes = fit.notes(),
                  .table = {},
                  .progress = fit.progress(),
                  .draws = {},
                  .checkpoints = {},
                  .statistics = {}};
  if (fit.has_blob("table")) content.table = fit.get_blob("table");
  fit.for_each_draw([&](StoredDraw draw) { content.draws.push_back(std::move(draw)); });
  for (const auto& row : content.progress) {
    if (const auto state = fit.checkpoint(row.chain)) content.checkpoints[row.chain] = *state;
    if (const auto last = fit.statistics(row.chain)) content.statistics.push_back(*last);
  }
  return content;
}

inline Content read_everything(const std::string& path) {
  return read_everything(FitFile::open(path, FitFile::Mode::read));
}

// A small fit with a row in every table and draws that overflow their pages.
inline void write_sample(const std::string& path) {
  FitFile fit = FitFile::create(path, {{"draws", 12}, {"seed", 7}}, {{"columns", {"x", "größe"}}}, false);
  fit.put_blob("table", random_bytes(9000, 3, 0));
  fit.note("column x: 3 missing cells");
  fit.note("");
  for (int chain = 0; chain < 3; ++chain) {
    commit_draws(fit, chain, 0, 3);
    commit_draws(fit, chain, 3, 1, 6000);
  }
}

inline std::string file_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// "" if the call went through, else the kind of error and its message.
inline std::string failure_of(const std::function<void()>& call) {
  try {
    call();
    return "";
  } catch (const InputError& error) {
    return std::string("InputError: ") + error.what();
  } catch (const Error& error) {
    return std::string("Error: ") + error.what();
  } catch (const std::exception& error) {
    return std::string("other exception: ") + error.what();
  }
}

// Runs the call in a child process; what failure_of would say, or the signal that ended it.
inline std::string failure_in_child(const std::function<void()>& call) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    const std::string failure = failure_of(call);
    const bool told = write(ends[1], failure.data(), failure.size()) == static_cast<ssize_t>(failure.size());
    _exit(told ? 0 : 1);
  }
  close(ends[1]);
  std::string failure;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) failure.append(buffer, n);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? failure : "child ended by signal or failed to report";
}

// In a child: permissions do not bind root.
inline void give_up_root() {
  if (geteuid() == 0 && setuid(65534) != 0) throw Error("setuid failed");
}

}  // namespace mbnn
