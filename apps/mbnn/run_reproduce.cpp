// mbnn reproduce: hands its words to the program of the studies, mbnn-reproduce.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "apps/mbnn/verbs.h"
#include "mbnn/core/error.h"

namespace mbnn::app {

void add_reproduce(CLI::App& app, Action& action) {
  auto* verb = app.add_subcommand("reproduce", "the paper's tables and figures, each a study that can be continued");
  verb->callback([&action] { action = [] { return reproduce({}); }; });
}

int reproduce(std::vector<char*> words) {
  constexpr const char* name = "mbnn-reproduce";
  words.insert(words.begin(), const_cast<char*>(name));
  words.push_back(nullptr);
  std::error_code none;
  const std::filesystem::path directory = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  execv((directory / name).c_str(), words.data());
  if (errno == ENOENT) execvp(name, words.data());
  if (errno != ENOENT) throw Error(fmt::format("{} could not be started: {}", name, std::strerror(errno)));
  throw Error(
      fmt::format("the studies are a program of their own, {}, which is neither in {} nor on PATH. Build it with:\n"
                  "  cmake --build --preset release --target mbnn_reproduce",
                  name, directory.string()));
}

}  // namespace mbnn::app
