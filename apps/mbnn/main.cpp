// The command line: mbnn <verb> [file] [--options].
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <new>
#include <system_error>
#include <thread>

#include "apps/mbnn/declared_options.h"
#include "apps/mbnn/parse_errors.h"
#include "apps/mbnn/standard_streams.h"
#include "apps/mbnn/verbs.h"
#include "mbnn/core/error.h"

namespace mbnn::app {

std::size_t Common::thread_count() const {
  if (threads > 0) return threads;
  return std::max(1u, std::thread::hardware_concurrency());
}

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

// Other ways to ask for help, in the one that the parser knows: "help fit" and "fit help" are "fit --help", and
// --help-all is --help that shows all options.
std::vector<std::string> without_help_words(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const auto dashes = std::ranges::find(words, "--");
  const auto all = std::find(words.begin(), dashes, "--help-all");
  all_options_shown() = all != dashes;
  if (all != dashes) *all = "--help";
  const bool first = !words.empty() && words.front() == "help";
  const bool last = words.size() > 1 && words.back() == "help" && !std::filesystem::exists("help") &&
                    std::ranges::none_of(words, [](const std::string& word) { return word.starts_with('-'); });
  if (first) words.erase(words.begin());
  if (last) words.pop_back();
  if (first || last) words.push_back("--help");
  return words;
}

int run(int argc, char** argv) {
  const std::vector<std::string> words = without_help_words(argc, argv);
  CLI::App app{
      "mbnn: Bayesian neural networks that learn how wide they should be.\n"
      "Give it a table; it returns a posterior over small networks, with honest intervals.\n\n"
      "  mbnn fit table.csv --target y --out y.mbnn\n"
      "  mbnn predict y.mbnn new.csv --out predictions.csv",
      "mbnn"};
  app.set_version_flag("--version", "mbnn " MBNN_VERSION);
  app.require_subcommand(1);
  app.footer(
      "mbnn VERB --help shows a verb's options, --help-all all of them.\n"
      "Exit codes: 0 good, 1 the run failed, 2 wrong usage or input, 3 the answer is not to be trusted.");
  Common common;
  Action action;
  add_fit(app, common, action);
  add_resume(app, common, action);
  add_predict(app, common, action);
  add_evaluate(app, common, action);
  add_diagnose(app, common, action);
  add_summary(app, common, action);
  add_image(app, common, action);
  add_series(app, common, action);
  add_reproduce(app, common, action);
  refuse_negative_counts(app);
  if (argc == 1) {
    fmt::print(stderr, "{}", app.help());
    return wrong_input;
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // help and version
    std::string verb;
    for (const CLI::App* chosen = &app; !chosen->get_subcommands().empty();)
      verb += " " + (chosen = chosen->get_subcommands().front())->get_name();
    fmt::print(stderr, "mbnn: {}\nSee: mbnn{} --help\n", explain(e, app, words), verb);
    return wrong_input;
  }
  const int code = action();
  if (std::fflush(stdout) != 0) throw Error(fmt::format("the output could not be written: {}", std::strerror(errno)));
  return code;
}

}  // namespace mbnn::app

int main(int argc, char** argv) {
  mbnn::app::occupy_closed_streams();  // first of all: files get the numbers that are free
  signal(SIGXFSZ, SIG_IGN);  // a file that reaches the limit on sizes is a failed write like others, told in words
  try {
    return mbnn::app::run(argc, argv);
  } catch (const mbnn::InputError& e) {
    fmt::print(stderr, "mbnn: {}\n", mbnn::app::words_of(e));
    return mbnn::app::wrong_input;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "mbnn: out of memory\n");
    return mbnn::app::failed;
  } catch (const std::system_error& e) {
    // Of a failed print, the exception does not say where to.
    const bool output = std::ferror(stdout) != 0;
    fmt::print(stderr, "mbnn: {}\n", output ? "the output could not be written: " + e.code().message() : e.what());
    return mbnn::app::failed;
  } catch (const std::exception& e) {
    fmt::print(stderr, "mbnn: {}\n", e.what());
    return mbnn::app::failed;
  }
}
