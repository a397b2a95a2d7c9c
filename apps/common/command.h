// What the verbs of both programs have in common: exit codes, and how a verb is made of declared options.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/declared_options.h"

namespace mbnn::app {

inline constexpr const char* kStandardOutput = "/dev/stdout";

enum ExitCode { good = 0, failed = 1, wrong_input = 2, not_trusted = 3 };

// Options that every verb takes.
struct Common {
  bool json = false, quiet = false;
  std::optional<std::size_t> threads;
  std::size_t thread_count() const;
};
OptionList options_of(Common& common);

// What the chosen verb will do once parsing has succeeded.
using Action = std::function<int()>;

// The program's own: its name, its version, and how help is shown.
void prepare_program(CLI::App& app);

// A verb whose arguments `declare` lists; `run` gets them once they were found good.
template <class Arguments, class Declare, class Run>
CLI::App& add_verb(CLI::App& parent, const std::string& name, const std::string& about, Common& common, Action& action,
                   Declare declare, Run run) {
  struct Given {
    GivenOptions own, common;
  };
  CLI::App& verb = *parent.add_subcommand(name, about);
  const auto given = std::make_shared<Given>();
  Arguments defaults;
  Common common_defaults;
  add_options(verb, declare(defaults), given->own);
  add_options(verb, options_of(common_defaults), given->common);
  verb.callback([=, &common, &action] {
    action = [=, &common] {
      Arguments arguments;
      take(declare(arguments), given->own);
      take(options_of(common), given->common);
      return run(arguments, common);
    };
  });
  return verb;
}

// A verb that takes, beside its own, the options of a fit. Of these, `given` of its arguments gets what was written.
// The help begins with what is required and the group "Options", and ends with its other groups.
template <class Arguments, class Declare, class Run>
CLI::App& add_fitting_verb(CLI::App& parent, const std::string& name, const std::string& about,
                           const OptionList& options, Common& common, Action& action, Declare declare, Run run) {
  struct Given {
    GivenOptions fit, own, common;
  };
  CLI::App& verb = *parent.add_subcommand(name, about);
  const auto given = std::make_shared<Given>();
  Arguments defaults;
  Common common_defaults;
  const auto needed = [](const Option& option) { return option.is_required(); };
  const auto first = [](const Option& option) { return option.group() == "Options"; };
  add_options(verb, options, given->fit, needed);
  add_options(verb, declare(defaults), given->own, first);
  add_options(verb, options, given->fit, std::not_fn(needed));
  add_options(verb, options_of(common_defaults), given->common);
  add_options(verb, declare(defaults), given->own, std::not_fn(first));
  verb.callback([=, &common, &action] {
    action = [=, &common] {
      Arguments arguments;
      arguments.given = given->fit;
      take(declare(arguments), given->own);
      take(options_of(common), given->common);
      return run(arguments, common);
    };
  });
  return verb;
}

// Where a fit is to be stored, and what was written of its own options.
struct FitArguments {
  std::string out;
  bool force = false;
  std::optional<double> checkpoint_seconds;  // the problem's own otherwise
  GivenOptions given;
};
// The verb "fit" of one kind, whose options are `options`.
CLI::App& add_fit_verb(CLI::App& parent, const std::string& about, const OptionList& options, Common& common,
                       Action& action, int (*run)(const FitArguments&, const Common&));

// Options that several verbs declare. The table that is read; "-" is the standard input.
Option& declare_table(OptionList& options, std::string& path, const std::string& about,
                      const std::vector<std::string>& further_words = {});
void declare_fit(OptionList& options, std::string& path);
// The file to write; "-" is the standard output.
Option& declare_output(OptionList& options, std::string& path, const std::string& about);
void declare_interval(OptionList& options, double& level, const std::string& about);
void declare_checkpoints(OptionList& options, std::optional<double>& seconds);

// Whether the help is to show all options of a verb: verbs must know it before they declare them.
bool asks_for_all_options(int argc, char** argv);

// Parses the words and does what their verb says. Wrong ones are told on stderr, with the help to read. The hidden
// verbs "complete" and "manual" serve the shell and the build.
int parse_and_run(CLI::App& app, const Action& action, int argc, char** argv);

}  // namespace mbnn::app
