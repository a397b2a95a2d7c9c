#include "apps/common/declared_options.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cctype>

#include "apps/common/parse_errors.h"
#include "mbnn/core/error.h"

namespace mbnn::app {

namespace {

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// Texts are only noted here, as often as they come: the library reads them.
CLI::Option* add_noted(CLI::App& verb, const std::string& names, const std::string& name, bool flag,
                       const std::string& help, GivenOptions& given) {
  if (flag)
    return verb.add_flag_callback(
        names,
        [&given, name] {
          given.push_back({name, ""});
        },
        help);
  const auto note = [&given, name](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) given.push_back({name, text});
  };
  return verb.add_option_function<std::vector<std::string>>(names, note, help)
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add(CLI::App& verb, const Option& option, GivenOptions& given) {
  const bool data = option.is_positional();
  const std::string letter = option.letter() ? fmt::format("-{},", option.letter()) : "";
  CLI::Option* added = add_noted(verb, data ? upper(option.name()) : letter + "--" + option.name(), option.name(),
                                 option.value().flag(), option.help() + (data ? "; -: the standard input" : ""), given);
  added->group(option.is_basic() || all_options_shown() ? option.group() : "")->required(option.is_required());
  if (!option.value().flag()) added->type_name(option.value().kind);
  if (data) added->transform([](const std::string& path) { return path == "-" ? "/dev/stdin" : path; });
  for (const auto& old : option.old_names())
    add_noted(verb, "--" + old.name, old.name, old.flag(), "", given)->group("");
}

}  // namespace

bool& all_options_shown() {
  static bool shown = false;
  return shown;
}

void add_fit_options(CLI::App& verb, const OptionList& options, FitArguments& arguments) {
  verb.set_help_flag("-h,--help", "this help; --help-all: of all options, in groups");
  for (const Option* option : options.shown())
    if (option->is_required()) add(verb, *option, arguments.given);
  verb.add_option("-o,--out", arguments.out, "the fit file to write")->required();
  verb.add_flag("--force", arguments.force, "replace the file if it exists");
  for (const Option* option : options.shown())
    if (!option->is_required()) add(verb, *option, arguments.given);
}

GivenOptions options_behind_dashes(const std::vector<std::string>& words, const OptionList& options,
                                   const std::vector<std::string>& without, const std::string& of) {
  GivenOptions given;
  CLI::App parser;
  parser.set_help_flag();
  for (const Option* option : options.shown(without)) add(parser, *option, given);
  parse_behind_dashes(parser, words, of.c_str());
  return given;
}

std::string words_of(const InputError& error) {
  const bool option = dynamic_cast<const OptionError*>(&error) != nullptr;
  return (option ? "--" : "") + std::string(error.what());
}

}  // namespace mbnn::app
