#include "apps/common/command.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <thread>

#include "apps/common/parse_errors.h"
#include "mbnn/core/error.h"

namespace mbnn::app {

std::size_t Common::thread_count() const {
  if (threads > 0) return threads;
  return std::max(1u, std::thread::hardware_concurrency());
}

void add_version(CLI::App& app) { app.set_version_flag("--version", "mbnn " MBNN_VERSION); }

void add_common_options(CLI::App& verb, Common& common) {
  verb.add_flag("--json", common.json, "print one JSON object instead of text")->group("Output");
  verb.add_flag("-q,--quiet", common.quiet, "print nothing but the result and errors")->group("Output");
  verb.add_option("--threads", common.threads,
                  "worker threads (default: all cores); results do not depend on it, but for rounding with images")
      ->check(CLI::Range(1, 1024))
      ->default_str("")
      ->group("Output");
}

namespace {

CLI::Option* with_dash(CLI::Option* option, const char* device) {
  return option->transform([=](const std::string& path) { return path == "-" ? std::string(device) : path; });
}

}  // namespace

void add_table(CLI::App& verb, std::string& path, const std::string& about) {
  with_dash(verb.add_option("DATA", path, about + "; -: the standard input"), "/dev/stdin")->required();
}

CLI::Option* add_delimiter(CLI::App& verb, std::optional<char>& delimiter, const std::string& told) {
  static const std::map<std::string, char> marks{{"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"blank", ' '}};
  return verb
      .add_option_function<std::string>(
          "--delimiter", [&](const std::string& name) { delimiter = marks.at(name); },
          fmt::format("comma, semicolon, tab or blank [{}]", told))
      ->check(CLI::IsMember({"comma", "semicolon", "tab", "blank"}));
}

CLI::Option* add_output(CLI::App& verb, std::string& path, const std::string& about) {
  return with_dash(verb.add_option("--out", path, about), kStandardOutput);
}

namespace {

// Other ways to ask for help, in the one that the parser knows: "help fit" and "fit help" are "fit --help", and
// --help-all is --help that shows all options.
std::vector<std::string> without_help_words(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const auto dashes = std::ranges::find(words, "--");
  if (const auto all = std::find(words.begin(), dashes, "--help-all"); all != dashes) *all = "--help";
  const bool first = !words.empty() && words.front() == "help";
  const bool last = words.size() > 1 && words.back() == "help" && !std::filesystem::exists("help") &&
                    std::ranges::none_of(words, [](const std::string& word) { return word.starts_with('-'); });
  if (first) words.erase(words.begin());
  if (last) words.pop_back();
  if (first || last) words.push_back("--help");
  return words;
}

}  // namespace

bool asks_for_all_options(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto dashes = std::ranges::find(words, "--");
  return std::find(words.begin(), dashes, "--help-all") != dashes;
}

int parse_and_run(CLI::App& app, const Action& action, int argc, char** argv) {
  refuse_negative_counts(app);
  const std::vector<std::string> words = without_help_words(argc, argv);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // help and version
    std::string verb;
    for (const CLI::App* chosen = &app; !chosen->get_subcommands().empty();)
      verb += " " + (chosen = chosen->get_subcommands().front())->get_name();
    fmt::print(stderr, "mbnn: {}\nSee: {}{} --help\n", explain(e, app, words), app.get_name(), verb);
    return wrong_input;
  }
  const int code = action();
  if (std::fflush(stdout) != 0) throw Error(fmt::format("the output could not be written: {}", std::strerror(errno)));
  return code;
}

}  // namespace mbnn::app
