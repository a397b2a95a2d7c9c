// mbnn reproduce: the paper's tables and figures, each a study with a row for every fit.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <sstream>

#include "apps/common/declared_options.h"
#include "apps/common/signals.h"
#include "apps/reproduce/engine.h"
#include "apps/reproduce/verbs.h"
#include "mbnn/core/error.h"
#include "mbnn/images/image_configuration.h"
#include "mbnn/sample/preset.h"
#include "mbnn/sample/shared_options.h"
#include "mbnn/series/series_configuration.h"

namespace mbnn::app {

namespace {

using studies::Study;
using studies::StudyOptions;

struct StudyVerb {
  std::string name, about;
  Study (*make)(const StudyOptions&);
  enum class Data { none, tables, series, images } data = Data::none;
  bool needs_data() const { return data != Data::none; }
};

const std::vector<StudyVerb>& study_verbs() {
  using enum StudyVerb::Data;
  static const std::vector<StudyVerb> list{
      {"polynomial", "Figure 1: intervals of a plain and a masked network on a noisy cubic", studies::polynomial_study,
       none},
      {"uci", "Table 1: methods on four regression tables", studies::uci_study, tables},
      {"lambda", "the appendix table: strengths of the prior for narrow layers", studies::lambda_study, tables},
      {"proposals", "Figures 3 and 4: nine rules of birth and death from a dense start", studies::proposals_study,
       tables},
      {"classification", "accuracy, likelihood and calibration on four tables of two classes",
       studies::classification_study, tables},
      {"concentration", "the theorems: error and widths against the number of rows", studies::concentration_study,
       none},
      {"series", "Figure 2: linear, plain and masked regressions inside structural series", studies::series_study,
       series},
      {"images", "Table 2 and the table of MHBT: methods on convolutional networks", studies::images_study, images},
      {"image-proposals", "Figure 3 on images: nine rules of birth and death of channels",
       studies::image_proposals_study, images},
  };
  return list;
}

std::vector<std::string> names_in(const std::string& text, const std::string& option) {
  std::vector<std::string> names;
  std::istringstream stream(text);
  for (std::string name; std::getline(stream, name, ',');) {
    if (name.empty()) throw InputError(fmt::format("{} '{}': expected names with commas between them", option, text));
    names.push_back(name);
  }
  if (text.ends_with(','))
    throw InputError(fmt::format("{} '{}': expected names with commas between them", option, text));
  return names;
}

// "1-3,7" is 1, 2, 3, 7.
std::vector<std::size_t> ranges_in(const std::string& text, const std::string& option) {
  auto wrong = [&] {
    return InputError(fmt::format("{} '{}': expected numbers from 1 such as 1-20 or 3,7", option, text));
  };
  auto number = [&](const std::string& part) {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || end != part.data() + part.size() || value == 0 || value > 100000) throw wrong();
    return value;
  };
  std::vector<std::size_t> list;
  for (const auto& part : names_in(text, option)) {
    const auto dash = part.find('-');
    const std::size_t first = number(part.substr(0, dash));
    const std::size_t last = dash == part.npos ? first : number(part.substr(dash + 1));
    if (last < first) throw wrong();
    for (std::size_t i = first; i <= last; ++i)
      if (std::find(list.begin(), list.end(), i) == list.end()) list.push_back(i);
  }
  return list;
}

struct Arguments {
  std::string out, data_directory, splits, splits_file = studies::kPaperSplits, sets, methods;
  Preset preset = Preset::ours;
  std::uint64_t seed = 1;
  std::optional<std::size_t> chains;
  std::optional<std::int64_t> draws;
  std::optional<double> budget;
  bool table_only = false, no_fits = false;
  std::vector<std::string> fit_options;
};

// The options behind --: of the verb `of`, without those that the study sets. Wrong values are refused here, before any
// data is looked for.
template <class Configuration>
GivenOptions fit_options(const Arguments& a, const std::vector<std::string>& without, const std::string& of) {
  Configuration scratch;
  OptionList options = options_of(scratch);
  try {
    GivenOptions given = options_behind_dashes(a.fit_options, options, without, of);
    options.apply(given);
    return given;
  } catch (const OptionError& error) {
    throw InputError(fmt::format("options of {} behind --: {}", of, words_of(error)));
  }
}

GivenOptions fit_options(const StudyVerb& verb, const Arguments& a) {
  using enum StudyVerb::Data;
  if (std::ranges::find(a.fit_options, "--method") != a.fit_options.end())
    throw InputError("options of fits behind --: --method is what --methods of the study says");
  if (verb.data == images) return fit_options<ImageConfiguration>(a, {"Options"}, "mbnn image fit");
  if (verb.data == series) return fit_options<SeriesConfiguration>(a, {"Options", "Data", "Series"}, "mbnn series fit");
  return fit_options<Configuration>(a, {"Options", "Data"}, "mbnn fit");
}

// As a table cites it: what changes rows, and nothing of this machine.
std::string command_of(const StudyVerb& verb, const Arguments& a) {
  std::string text = "mbnn reproduce " + verb.name;
  if (verb.needs_data()) text += " --data-dir DIR";
  if (a.preset != Preset::ours) text += " --preset " + name_of(a.preset);
  if (a.splits_file != studies::kPaperSplits) text += " --splits-file " + a.splits_file;
  if (!a.sets.empty()) text += " --sets " + a.sets;
  if (!a.methods.empty()) text += " --methods " + a.methods;
  if (!a.splits.empty()) text += " --splits " + a.splits;
  if (a.seed != 1) text += fmt::format(" --seed {}", a.seed);
  if (a.chains) text += fmt::format(" --chains {}", *a.chains);
  if (a.draws) text += fmt::format(" --draws {}", *a.draws);
  if (a.budget) text += fmt::format(" --budget {}", *a.budget);
  if (!a.fit_options.empty()) text += fmt::format(" -- {}", fmt::join(a.fit_options, " "));
  return text;
}

// Settings whose rows must not meet have directories of their own.
std::string default_directory(const StudyVerb& verb, const Arguments& a) {
  std::string name = "reproduce/" + verb.name;
  if (a.preset != Preset::ours) name += "-" + name_of(a.preset);
  if (a.splits_file == "splits_pbp.txt") name += "-pbp";
  return name;
}

StudyOptions study_options(const StudyVerb& verb, const Arguments& a) {
  StudyOptions options;
  options.data_directory = a.data_directory;
  if (const char* variable = std::getenv("MBNN_DATA"); variable && a.data_directory.empty())
    options.data_directory = variable;
  options.splits_file = a.splits_file;
  options.sets = names_in(a.sets, "--sets");
  options.methods = names_in(a.methods, "--methods");
  options.splits = ranges_in(a.splits.empty() ? verb.make({}).repetitions : a.splits, "--splits");
  options.setting = name_of(a.preset);
  options.seed = a.seed;
  options.given = fit_options(verb, a);
  options.chains = a.chains.value_or(0);
  options.draws = a.draws.value_or(0);
  return options;
}

int reproduce(const StudyVerb& verb, const Arguments& a, const Common& common) {
  const Study study = verb.make(study_options(verb, a));
  studies::EngineOptions engine;
  engine.directory = a.out.empty() ? default_directory(verb, a) : a.out;
  engine.threads = common.thread_count();
  engine.budget_minutes = a.budget.value_or(0);
  engine.keep_fits = !a.no_fits;
  engine.command = command_of(verb, a);
  if (!common.quiet) engine.say = [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
  if (!a.table_only) engine.stop = stop_on_signal();
  const studies::StudyOutcome outcome = a.table_only ? read_study(study, engine) : run_study(study, engine);

  if (common.json) {
    nlohmann::json rows = nlohmann::json::array();
    for (const auto& row : outcome.rows) rows.push_back(row);
    const nlohmann::json json{{"study", verb.name},
                              {"directory", engine.directory},
                              {"rows", rows},
                              {"failures", outcome.failures},
                              {"command", engine.command}};
    fmt::print("{}\n", json.dump(2));
  } else {
    fmt::print("{}", outcome.table);
  }
  const std::size_t done = outcome.earlier + outcome.finished;
  if (!common.quiet && !a.table_only)
    fmt::print(stderr, "{} of {} rows are in {}/rows.csv, the table in {}/table.md\n", done, outcome.jobs,
               engine.directory, engine.directory);
  if (outcome.out_of_time)
    fmt::print(stderr, "the budget of {} minutes is used up; the same command continues\n", *a.budget);
  else if (outcome.interrupted)
    fmt::print(stderr, "interrupted; the same command continues\n");
  for (const auto& failure : outcome.failures) fmt::print(stderr, "failed: {}\n", failure);
  return outcome.failures.empty() && (done == outcome.jobs || outcome.out_of_time) ? good : failed;
}

// A text that has a default of its own, which only the study knows.
OptionValue text_with_default(std::string& text, const std::string& shown) {
  OptionValue v = value_of(text);
  v.show = [&text, shown] { return text.empty() ? shown : text; };
  return v;
}

OptionList options_of(Arguments& a, const StudyVerb& verb) {
  using enum StudyVerb::Data;
  StudyOptions as_in_the_paper;
  as_in_the_paper.setting = "paper";
  const Study shape = verb.make({}), paper = verb.make(as_in_the_paper);
  OptionList options;
  options.group("Options");
  options.add("out", text_with_default(a.out, "reproduce/" + verb.name), "directory of rows.csv, table.md and fits/")
      .kind("DIRECTORY")
      .letter('o')
      .basic()
      .known_as({"output", "directory", "dir"});
  if (verb.needs_data())
    options
        .add("data-dir", text_with_default(a.data_directory, "$MBNN_DATA"),
             verb.data == tables   ? "holds uci/NAME/NAME.csv and the splits"
             : verb.data == images ? "holds the directories that scripts/data writes"
                                   : "holds series/NAME.csv")
        .kind("DIRECTORY")
        .basic()
        .known_as({"data"});
  if (verb.data == tables)
    options.add("splits-file", a.splits_file, "splits_paper.txt, which is made if it is not there, or another").basic();
  const auto names = [](const std::vector<std::string>& list) { return fmt::format("{}", fmt::join(list, ", ")); };
  if (!shape.sets.empty())
    options
        .add("sets", text_with_default(a.sets, "all"),
             fmt::format("a,b,... of {}{}", names(shape.sets),
                         paper.sets == shape.sets ? "" : "; with --preset paper of " + names(paper.sets)))
        .kind("NAMES")
        .basic();
  if (!shape.methods.empty())
    options.add("methods", text_with_default(a.methods, "all"), fmt::format("a,b,... of {}", names(shape.methods)))
        .kind("NAMES")
        .basic()
        .known_as({"method"});
  options
      .add("splits", text_with_default(a.splits, shape.repetitions), "numbers of the repetitions, such as 3 or 1-5,8")
      .kind("NUMBERS")
      .basic();
  options.add("preset", a.preset, "default: ours; paper: the paper's own").old_name("setting").basic();
  options.add("seed", a.seed, "repetition k has this seed + k - 1").basic();
  if (verb.data != images)
    options.add("chains", value_of(a.chains, "as the preset has it"), "chains of a fit").within(1, 1000).basic();
  options.add("draws", value_of(a.draws, "as the preset has it"), "draws kept from each chain")
      .within(1, 1 << 30)
      .basic()
      .known_as(draws_words());
  options.add("budget", value_of(a.budget, "none"), "minutes after which to stop cleanly; the same command continues")
      .positive()
      .basic();
  options.add("no-fits", flag_value(a.no_fits), "remove each fit once its row is kept").basic();
  options.add("table-only", flag_value(a.table_only), "make the table of the rows that are there; run nothing").basic();
  OptionValue words = value_of(a.fit_options);
  words.parse = [&a](const std::string& word) { a.fit_options.push_back(word); };
  words.kind = "OPTIONS";
  options
      .add("fit_options", words,
           fmt::format("behind --: options of mbnn {} for every fit of the study{}",
                       verb.data == images ? "image fit" : "fit",
                       verb.name == "series" ? "; those of mbnn series fit alone are the study's" : ""))
      .positional()
      .basic();
  return options;
}

void add_study(CLI::App& parent, const StudyVerb& verb, Common& common, Action& action) {
  add_verb<Arguments>(
      parent, verb.name, verb.about, common, action, [&verb](Arguments& a) { return options_of(a, verb); },
      [&verb](const Arguments& a, const Common& c) { return reproduce(verb, a, c); })
      .footer(fmt::format("Example:\n  mbnn reproduce {}{} --splits 1-3 --budget 60 -- {}", verb.name,
                          verb.needs_data() ? " --data-dir DIR" : "",
                          verb.data == StudyVerb::Data::images ? "--epochs 20" : "--chains 2"));
}

}  // namespace

void add_studies(CLI::App& app, Common& common, Action& action) {
  for (const StudyVerb& study : study_verbs()) add_study(app, study, common, action);
}

}  // namespace mbnn::app
