#include "apps/common/declared_options.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cctype>

#include "apps/common/details.h"
#include "apps/common/parse_errors.h"
#include "mbnn/core/error.h"

namespace mbnn::app {

namespace {

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// Texts are only noted here, as often as they come: the list reads them.
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
  const OptionValue& value = option.value();
  const bool place = option.is_positional(), table = place && value.kind == "FILE";
  const std::string letter = option.letter() ? fmt::format("-{},", option.letter()) : "";
  CLI::Option* added = add_noted(verb, place ? upper(option.name()) : letter + "--" + option.name(), option.name(),
                                 value.flag(), option.help() + (table ? "; -: the standard input" : ""), given);
  const bool shown = option.is_basic() || all_options_shown();
  added->group(shown ? option.group() : "")->required(option.is_required());
  details_of(*added) = {.known_as = option.known_as(), .when = option.when(), .short_of_help = !shown};
  if (!value.flag()) added->type_name(value.kind);
  if (place && value.clear) added->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args();
  if (table) added->transform([](const std::string& path) { return path == "-" ? "/dev/stdin" : path; });
  if (place)
    added->check([](const std::string& path) { return path.empty() ? "expected the name of a file" : std::string(); });
  for (const auto& old : option.old_names())
    add_noted(verb, "--" + old.name, old.name, old.flag(), "", given)->group("");
}

}  // namespace

bool& all_options_shown() {
  static bool shown = false;
  return shown;
}

void add_options(CLI::App& verb, const OptionList& options, GivenOptions& given,
                 const std::function<bool(const Option&)>& only) {
  for (const Option* option : options.shown())
    if (!only || only(*option)) add(verb, *option, given);
}

void take(OptionList options, const GivenOptions& given) {
  options.apply(given);
  options.refuse_idle(given);
  options.check();
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
