// mbnn reproduce: the paper's tables and figures, each a study with a row for every fit.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <sstream>

#include "apps/common/declared_options.h"
#include "apps/common/signals.h"
#include "apps/reproduce/engine.h"
#include "apps/reproduce/verbs.h"
#include "mbnn/core/error.h"
#include "mbnn/images/image_configuration.h"
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
  std::string out, data_directory, splits, splits_file = studies::kPaperSplits, sets, methods, setting = "default";
  std::uint64_t seed = 1;
  std::size_t chains = 0;
  std::int64_t draws = 0;
  double budget = 0;
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
  if (a.setting != "default") text += " --setting " + a.setting;
  if (a.splits_file != studies::kPaperSplits) text += " --splits-file " + a.splits_file;
  if (!a.sets.empty()) text += " --sets " + a.sets;
  if (!a.methods.empty()) text += " --methods " + a.methods;
  if (!a.splits.empty()) text += " --splits " + a.splits;
  if (a.seed != 1) text += fmt::format(" --seed {}", a.seed);
  if (a.chains > 0) text += fmt::format(" --chains {}", a.chains);
  if (a.draws > 0) text += fmt::format(" --draws {}", a.draws);
  if (a.budget > 0) text += fmt::format(" --budget {}", a.budget);
  if (!a.fit_options.empty()) text += fmt::format(" -- {}", fmt::join(a.fit_options, " "));
  return text;
}

// Settings whose rows must not meet have directories of their own.
std::string default_directory(const StudyVerb& verb, const Arguments& a) {
  std::string name = "reproduce/" + verb.name;
  if (a.setting != "default") name += "-" + a.setting;
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
  options.setting = a.setting;
  options.seed = a.seed;
  options.given = fit_options(verb, a);
  options.chains = a.chains;
  options.draws = a.draws;
  return options;
}

int reproduce(const StudyVerb& verb, const Arguments& a, const Common& common) {
  const Study study = verb.make(study_options(verb, a));
  studies::EngineOptions engine;
  engine.directory = a.out.empty() ? default_directory(verb, a) : a.out;
  engine.threads = common.thread_count();
  engine.budget_minutes = a.budget;
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
    fmt::print(stderr, "the budget of {} minutes is used up; the same command continues\n", a.budget);
  else if (outcome.interrupted)
    fmt::print(stderr, "interrupted; the same command continues\n");
  for (const auto& failure : outcome.failures) fmt::print(stderr, "failed: {}\n", failure);
  return outcome.failures.empty() && (done == outcome.jobs || outcome.out_of_time) ? good : failed;
}

void add_study(CLI::App& parent, const StudyVerb& verb, Common& common, Action& action) {
  auto* study = parent.add_subcommand(verb.name, verb.about);
  auto a = std::make_shared<Arguments>();
  study->add_option("--out", a->out,
                    fmt::format("directory of rows.csv, table.md and fits/ [reproduce/{}]", verb.name));
  const bool tables = verb.data == StudyVerb::Data::tables, images = verb.data == StudyVerb::Data::images;
  if (verb.needs_data())
    study->add_option("--data-dir", a->data_directory,
                      tables   ? "holds uci/NAME/NAME.csv and the splits [$MBNN_DATA]"
                      : images ? "holds the directories that scripts/data writes [$MBNN_DATA]"
                               : "holds series/NAME.csv [$MBNN_DATA]");
  if (tables)
    study->add_option("--splits-file", a->splits_file,
                      "splits_paper.txt, which is made if it is not there, or another [splits_paper.txt]");
  StudyOptions as_in_the_paper;
  as_in_the_paper.setting = "paper";
  const Study shape = verb.make({}), paper = verb.make(as_in_the_paper);
  if (!shape.sets.empty())
    study->add_option(
        "--sets", a->sets,
        fmt::format(
            "some of [{}]{}", fmt::join(shape.sets, ","),
            paper.sets == shape.sets ? "" : fmt::format("; with --setting paper of [{}]", fmt::join(paper.sets, ","))));
  if (!shape.methods.empty())
    study->add_option("--methods", a->methods, fmt::format("some of [{}]", fmt::join(shape.methods, ",")));
  study->add_option("--splits", a->splits,
                    fmt::format("numbers of the repetitions, such as 3 or 1-5,8 [{}]", shape.repetitions));
  study->add_option("--setting", a->setting, "default: ours; paper: the paper's own [default]")
      ->check(CLI::IsMember({"default", "paper"}));
  study->add_option("--seed", a->seed, "repetition k has this seed + k - 1 [1]");
  if (!images)
    study->add_option("--chains", a->chains, "chains of a fit [as the setting has it]")->check(CLI::Range(1, 1000));
  study->add_option("--draws", a->draws, "draws kept from each chain [as the setting has it]")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 30));
  study->add_option("--budget", a->budget, "minutes after which to stop cleanly; the same command continues [none]")
      ->check(CLI::PositiveNumber);
  study->add_flag("--no-fits", a->no_fits, "remove each fit once its row is kept");
  study->add_flag("--table-only", a->table_only, "make the table of the rows that are there; run nothing");
  study->add_option(
      "FIT_OPTIONS", a->fit_options,
      fmt::format("behind --: options of mbnn {} for every fit of the study{}", images ? "image fit" : "fit",
                  verb.name == "series" ? "; those of mbnn series fit alone are the study's" : ""));
  add_common_options(*study, common);
  study->footer(fmt::format("Example:\n  mbnn reproduce {}{} --splits 1-3 --budget 60 -- {}", verb.name,
                            verb.needs_data() ? " --data-dir DIR" : "", images ? "--epochs 20" : "--chains 2"));
  study->callback([=, &common, &action] { action = [=, &common] { return reproduce(verb, *a, common); }; });
}

}  // namespace

void add_studies(CLI::App& app, Common& common, Action& action) {
  for (const StudyVerb& study : study_verbs()) add_study(app, study, common, action);
}

}  // namespace mbnn::app
