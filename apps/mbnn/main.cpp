// The command line: mbnn <verb> [file] [--options].
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <optional>
#include <thread>

#include "apps/mbnn/verbs.h"
#include "mbnn/core/error.h"
#include "mbnn/data/names.h"

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

CLI::Option* add_csv(CLI::App& verb, std::string& path, const std::string& about) {
  return with_dash(verb.add_option("--out", path, about), kStandardOutput);
}

namespace {

// The first option that the verb does not have, or else the first word that is too many.
std::optional<std::string> unexpected(const CLI::App& verb) {
  const std::vector<std::string> words = verb.remaining();
  if (words.empty()) return {};
  const auto option = std::ranges::find_if(words, [](const std::string& word) { return word.starts_with("-"); });
  if (option == words.end()) return fmt::format("'{}' was not expected here", words.front());
  const std::string name = option->substr(0, option->find('='));
  std::vector<std::string> known;
  for (const CLI::Option* other : verb.get_options())
    for (const std::string& long_name : other->get_lnames()) known.push_back("--" + long_name);
  const auto nearest = nearest_name(name, known);
  return fmt::format("no option {}{}", name, nearest ? fmt::format("; did you mean {}?", *nearest) : "");
}

std::optional<std::string> unconverted(const std::string& text, const CLI::App& verb) {
  constexpr std::string_view begin = "Could not convert: ";
  const std::size_t end = text.find(" = ");
  if (!text.starts_with(begin) || end == text.npos) return {};
  const CLI::Option* option = verb.get_option_no_throw(text.substr(begin.size(), end - begin.size()));
  const std::string kind = option ? option->get_type_name() : "";
  return fmt::format("{}: expected {}", text.substr(begin.size()),
                     kind.starts_with("UINT")    ? "a whole number, not negative"
                     : kind.starts_with("INT")   ? "a whole number"
                     : kind.starts_with("FLOAT") ? "a number"
                                                 : "something else");
}

// What the parser found wrong, in words that say what to write instead.
std::string explain(const CLI::ParseError& error, const CLI::App& app, int argc, char** argv) {
  std::string text = error.what();
  // The innermost verb that was understood, and the word behind it that should have been one of its own verbs.
  const CLI::App* verb = &app;
  int place = 1;
  while (!verb->get_subcommands().empty()) verb = verb->get_subcommands().front(), ++place;
  std::vector<std::string> verbs;
  for (const auto* below : verb->get_subcommands([](const CLI::App*) { return true; }))
    verbs.push_back(below->get_name());
  if (!verbs.empty() && place < argc && argv[place][0] != '-') {
    const std::string parent = verb == &app ? "" : verb->get_name() + " ";
    text = fmt::format("no verb '{}{}'; expected one of {}", parent, argv[place], fmt::join(verbs, ", "));
    if (const auto nearest = nearest_name(argv[place], verbs)) text += fmt::format("; did you mean '{}'?", *nearest);
  } else if (!verbs.empty() && verb != &app && place >= argc) {
    text = fmt::format("{}: expected one of {} behind it", verb->get_name(), fmt::join(verbs, ", "));
  } else if (const auto wrong = unexpected(*verb)) {
    text = *wrong;
  } else if (const auto kind = unconverted(text, *verb)) {
    text = *kind;
  }
  const std::string twice = ": At Most 1 required but received";
  if (const auto at = text.find(twice); at != text.npos) text = text.substr(0, at) + " is given more than once";
  return text;
}

}  // namespace

int run(int argc, char** argv) {
  CLI::App app{
      "mbnn: Bayesian neural networks that learn how wide they should be.\n"
      "Give it a table; it returns a posterior over small networks, with honest intervals.\n\n"
      "  mbnn fit table.csv --target y --out y.mbnn\n"
      "  mbnn predict y.mbnn new.csv --out predictions.csv",
      "mbnn"};
  app.set_version_flag("--version", "mbnn " MBNN_VERSION);
  app.require_subcommand(1);
  app.footer(
      "mbnn VERB --help shows a verb's options.\n"
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
  if (argc == 1) {
    fmt::print(stderr, "{}", app.help());
    return wrong_input;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // help and version
    std::string verb;
    for (const CLI::App* chosen = &app; !chosen->get_subcommands().empty();)
      verb += " " + (chosen = chosen->get_subcommands().front())->get_name();
    fmt::print(stderr, "mbnn: {}\nSee: mbnn{} --help\n", explain(e, app, argc, argv), verb);
    return wrong_input;
  }
  const int code = action();
  if (std::fflush(stdout) != 0) throw Error(fmt::format("the output could not be written: {}", std::strerror(errno)));
  return code;
}

}  // namespace mbnn::app

int main(int argc, char** argv) {
  signal(SIGXFSZ, SIG_IGN);  // a file that reaches the limit on sizes is a failed write like others, told in words
  try {
    return mbnn::app::run(argc, argv);
  } catch (const mbnn::InputError& e) {
    fmt::print(stderr, "mbnn: {}\n", e.what());
    return mbnn::app::wrong_input;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "mbnn: out of memory\n");
    return mbnn::app::failed;
  } catch (const std::exception& e) {
    fmt::print(stderr, "mbnn: {}\n", e.what());
    return mbnn::app::failed;
  }
}
