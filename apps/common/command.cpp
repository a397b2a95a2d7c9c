#include "apps/common/command.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <thread>

#include "apps/common/complete.h"
#include "apps/common/details.h"
#include "apps/common/help.h"
#include "apps/common/manual.h"
#include "apps/common/parse_errors.h"
#include "mbnn/core/error.h"

namespace mbnn::app {

std::size_t Common::thread_count() const { return threads.value_or(std::max(1u, std::thread::hardware_concurrency())); }

OptionList options_of(Common& common) {
  OptionList options;
  options.group("Output");
  options.add("json", flag_value(common.json), "print one JSON object instead of text").basic();
  options.add("quiet", flag_value(common.quiet), "print nothing but the result and errors")
      .letter('q')
      .basic()
      .known_as({"silent", "verbose"});
  options
      .add("threads", value_of(common.threads, "all cores"),
           "worker threads; results do not depend on it, but for rounding with images")
      .within(1, 1024)
      .basic()
      .known_as({"jobs", "n-jobs", "cores", "cpus", "num-threads", "n-threads", "workers", "parallel"});
  return options;
}

void prepare_program(CLI::App& app) {
  app.formatter(std::make_shared<Help>());  // verbs take it over, as they do the flag
  app.set_help_flag("-h,--help", "this help; --help-all: of all options");
  app.set_version_flag("-V,--version", "mbnn " MBNN_VERSION, "the program's version");
  app.require_subcommand(1);
}

CLI::App& add_fit_verb(CLI::App& parent, const std::string& about, const OptionList& options, Common& common,
                       Action& action, int (*run)(const FitArguments&, const Common&)) {
  const auto declare = [](FitArguments& a) {
    OptionList file;
    file.group("Options");
    declare_output(file, a.out, "the fit file to write").required();
    file.add("force", flag_value(a.force), "replace the file if it exists").basic().known_as({"overwrite", "replace"});
    file.group("Output");
    declare_checkpoints(file, a.checkpoint_seconds);
    return file;
  };
  return add_fitting_verb<FitArguments>(parent, "fit", about, options, common, action, declare, run);
}

Option& declare_table(OptionList& options, std::string& path, const std::string& about,
                      const std::vector<std::string>& further_words) {
  std::vector<std::string> words{"input", "file", "csv", "table", "new-data", "newdata", "test", "dataset"};
  words.insert(words.end(), further_words.begin(), further_words.end());
  return options.add("data", path, about).kind("FILE").positional().required().known_as(std::move(words));
}

void declare_fit(OptionList& options, std::string& path) {
  options.add("fit", path, "the fit file").kind("FIT").positional().required().known_as({"model", "load"});
}

Option& declare_output(OptionList& options, std::string& path, const std::string& about) {
  OptionValue v = value_of(path);
  v.show = [&path] { return path == kStandardOutput ? "the standard output" : path; };
  v.parse = [&path](const std::string& text) {
    if (text.empty()) throw InputError("expected the name of a file");
    path = text == "-" ? kStandardOutput : text;
  };
  return options.add("out", v, about)
      .kind("FILE")
      .letter('o')
      .basic()
      .known_as({"output", "outfile", "out-file", "output-file", "save", "write", "dest", "destination"});
}

void declare_interval(OptionList& options, double& level, const std::string& about) {
  options.add("interval", level, about)
      .between(0, 1)
      .basic()
      .known_as({"level", "prob", "probability", "confidence", "ci", "credible", "coverage", "alpha"});
}

void declare_checkpoints(OptionList& options, std::optional<double>& seconds) {
  options.add("checkpoint-seconds", value_of(seconds, "as usual for its kind"), "seconds from checkpoint to checkpoint")
      .not_negative();
}

namespace {

std::string_view first_word(int argc, char** argv) { return argc > 1 ? argv[1] : ""; }

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

bool asks_for_help(const std::vector<std::string>& words) {
  const auto dashes = std::ranges::find(words, "--");
  return std::any_of(words.begin(), dashes, [](const std::string& w) { return w == "--help" || w == "-h"; });
}

// A word that is none of the verbs which had to come.
bool names_no_verb(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* verb = &app;
  for (const std::string& word : words) {
    if (word.starts_with('-') || listed_verbs(*verb).empty()) return false;
    verb = verb_below(*verb, word);
    if (!verb) return true;
  }
  return false;
}

int refuse(const CLI::App& app, const std::string& why) {
  fmt::print(stderr, "mbnn: {}\nSee: {} --help\n", why, full_name(chosen_verb(app)));
  return wrong_input;
}

int print_completion(const CLI::App& app, const std::vector<std::string>& words) {
  const Completion completion = complete(app, words);
  fmt::print("{}\n", completion.files ? "files" : "words");
  for (const std::string& word : completion.words) fmt::print("{}\n", word);
  return good;
}

}  // namespace

bool asks_for_all_options(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto dashes = std::ranges::find(words, "--");
  return first_word(argc, argv) == "manual" || std::find(words.begin(), dashes, "--help-all") != dashes;
}

int parse_and_run(CLI::App& app, const Action& action, int argc, char** argv) {
  if (first_word(argc, argv) == "complete") return print_completion(app, {argv + 2, argv + argc});
  if (first_word(argc, argv) == "manual") {
    fmt::print("{}", manual_page(app, MBNN_VERSION));
    return good;
  }
  const std::vector<std::string> words = without_help_words(argc, argv);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& e) {
    if (asks_for_help(words)) {  // whatever else is wrong, but for the verb
      if (names_no_verb(app, words)) return refuse(app, explain(e, app, words));
      fmt::print("{}", chosen_verb(app).help());
      return good;
    }
    if (e.get_exit_code() == 0) return app.exit(e);  // the version
    return refuse(app, explain(e, app, words));
  }
  if (const auto dash = one_dash_for_two(chosen_verb(app), words)) return refuse(app, *dash);
  const int code = action();
  if (std::fflush(stdout) != 0) throw Error(fmt::format("the output could not be written: {}", std::strerror(errno)));
  return code;
}

}  // namespace mbnn::app
