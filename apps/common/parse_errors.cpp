#include "apps/common/parse_errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "apps/common/details.h"
#include "apps/common/help.h"
#include "mbnn/core/error.h"
#include "mbnn/core/known_names.h"
#include "mbnn/core/option_value.h"
#include "mbnn/store/replace_file.h"

namespace mbnn::app {

namespace {

const CLI::App& program_of(const CLI::App& verb) { return verb.get_parent() ? program_of(*verb.get_parent()) : verb; }

void for_each_verb(const CLI::App& app, const std::function<void(const CLI::App&)>& visit) {
  for (const CLI::App* verb : listed_verbs(app)) {
    visit(*verb);
    for_each_verb(*verb, visit);
  }
}

bool has_option(const CLI::App& verb, const std::string& name) {
  const auto options = listed_options(verb);
  return std::ranges::any_of(options, [&](const CLI::Option* o) { return spelled(*o) == name; });
}

std::string without_dashes(const std::string& name) {
  return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

// By its name, and by what the library calls its words.
std::vector<KnownName> known_options(const CLI::App& verb) {
  std::vector<KnownName> known;
  for (const CLI::Option* option : listed_options(verb)) {
    KnownName& entry = known.emplace_back(KnownName{spelled(*option), details_of(*option).known_as});
    entry.other_words.push_back(CLI::detail::to_lower(without_dashes(entry.name)));
  }
  return known;
}

// How to write one that was probably meant.
std::string suggestion(const CLI::App& verb, const std::string& name) {
  for (const CLI::Option* option : listed_options(verb)) {
    if (spelled(*option) != name) continue;
    const std::string when = details_of(*option).when;
    if (option->get_positional())
      return fmt::format("{} ({}), with no option before it", name, option->get_description());
    return when.empty() ? name : fmt::format("{} ({})", name, when);
  }
  return name;
}

std::string did_you_mean(const std::vector<std::string>& names) {
  return names.empty() ? "" : fmt::format("; did you mean {}?", one_of(names));
}

// An option that the verb does not have: a word for one of its own, what other verbs have or do, or a slip.
std::string unknown_option(const CLI::App& verb, const std::string& name) {
  const std::vector<KnownName> known = known_options(verb);
  std::vector<std::string> meant = names_for(name, known);
  if (meant.empty()) {
    const CLI::App& program = program_of(verb);
    std::vector<std::string> owners, doers, likes;
    if (has_option(program, name)) owners.push_back(full_name(program));
    for_each_verb(program, [&](const CLI::App& other) {
      const auto& words = details_of(other).known_as;
      if (has_option(other, name)) owners.push_back(full_name(other));
      const bool does = &other != &verb && std::ranges::find(words, without_dashes(name)) != words.end();
      if (does) doers.push_back(full_name(other));
      for (const std::string& like : names_for(name, known_options(other)))
        likes.push_back(fmt::format("{} of {}", like, full_name(other)));
    });
    if (owners.size() > 3) return fmt::format("no option {} here: {} has it, and others", name, owners[0]);
    if (!owners.empty()) return fmt::format("no option {} here: it is one of {}", name, one_of(owners));
    if (!doers.empty()) return fmt::format("no option {}; did you mean the verb {}?", name, one_of(doers));
    meant = meant_names(name, known);
    if (meant.empty() && likes.size() <= 3) return fmt::format("no option {} here{}", name, did_you_mean(likes));
  }
  for (std::string& one : meant) one = suggestion(verb, one);
  return fmt::format("no option {}{}", name, did_you_mean(meant));
}

// "--ignore a b" is where words come from that nothing expects.
std::string about_lists(const CLI::App& verb) {
  for (const CLI::Option* option : listed_options(verb))
    if (option->get_type_name() == "COLUMNS" && option->count() > 0)
      return fmt::format("; in a list, commas are between the names: {} a,b", spelled(*option));
  return {};
}

// The first option that the verb does not have, or else the first word that is too many.
std::optional<std::string> unexpected(const CLI::App& verb) {
  std::vector<std::string> words = verb.remaining();
  std::erase(words, "--");
  if (words.empty()) return {};
  const auto option = std::ranges::find_if(words, [](const std::string& word) { return word.starts_with("-"); });
  if (option == words.end()) return fmt::format("'{}' was not expected here{}", words.front(), about_lists(verb));
  return unknown_option(verb, option->substr(0, option->find('=')));
}

std::string explain_options(const CLI::ParseError& error, const CLI::App& verb) {
  const std::string text = error.what(), required = " is required";
  if (const auto wrong = unexpected(verb)) return *wrong;
  for (const CLI::Option* option : listed_options(verb)) {
    const std::string name = spelled(*option);
    if (text == name + required)
      return fmt::format("{}: {}\nUsage: {}", text, option->get_description(), usage_of(verb));
    const std::string& kind = option->get_type_name();
    if (text.starts_with(name + ":") && text.ends_with("missing"))
      return fmt::format("{}: expected {} behind it", name, kind == "N" || kind == "X" ? "a number" : kind);
  }
  return text;
}

std::string unknown_verb(const CLI::App& verb, const std::string& word) {
  std::vector<KnownName> known, further;
  std::vector<std::string> names;
  for (const CLI::App* below : listed_verbs(verb)) {
    names.push_back(below->get_name());
    known.push_back({below->get_name(), details_of(*below).known_as});
    for (const CLI::App* within : listed_verbs(*below)) {
      const std::string both = below->get_name() + " " + within->get_name();
      further.push_back({both, details_of(*within).known_as});
      further.back().other_words.push_back(within->get_name());
    }
  }
  const std::string parent = full_name(verb).substr(full_name(verb).find(' ') + 1);  // without the program
  std::vector<std::string> meant;
  std::error_code none;
  if (std::filesystem::is_regular_file(word, none))
    meant.push_back(fmt::format("{} {}", is_database(word) ? "summary" : "fit", word));
  else if (has_option(verb, "--" + word))
    meant.push_back("--" + word);
  else
    meant = meant_names(word, known);
  if (meant.empty()) meant = meant_names(word, further);
  for (std::string& one : meant) one = fmt::format("'{}'", one);
  return fmt::format("no verb '{}{}'; expected one of {}{}", parent != full_name(verb) ? parent + " " : "", word,
                     fmt::join(names, ", "), did_you_mean(meant));
}

}  // namespace

const CLI::App& chosen_verb(const CLI::App& app) {
  return app.get_subcommands().empty() ? app : chosen_verb(*app.get_subcommands().front());
}

std::optional<std::string> one_dash_for_two(const CLI::App& verb, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "--") break;
    const std::string name = word.substr(0, word.find('='));
    if (name.size() > 2 && name[0] == '-' && name[1] != '-' && has_option(verb, "-" + name))
      return fmt::format("{}: expected two dashes, -{}", name, name);
  }
  return {};
}

std::string explain(const CLI::ParseError& error, const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App& verb = chosen_verb(app);
  if (const auto dash = one_dash_for_two(verb, words)) return *dash;
  const std::vector<const CLI::App*> verbs = listed_verbs(verb);
  if (verbs.empty()) return explain_options(error, verb);
  // The word behind it that should have been one of its own verbs.
  std::size_t place = 0;
  for (const CLI::App* above = &verb; above != &app; above = above->get_parent()) ++place;
  if (place < words.size() && !words[place].starts_with('-')) return unknown_verb(verb, words[place]);
  if (place < words.size()) return explain_options(error, verb);
  std::vector<std::string> names;
  for (const CLI::App* below : verbs) names.push_back(below->get_name());
  return fmt::format("expected one of {} behind '{}'", fmt::join(names, ", "), full_name(verb));
}

void parse_behind_dashes(CLI::App& parser, const std::vector<std::string>& options, const char* of) {
  std::vector<std::string> reversed(options.rbegin(), options.rend());
  try {
    parser.parse(reversed);
  } catch (const CLI::ParseError& error) {
    throw InputError(fmt::format("options of {} behind --: {}", of, explain_options(error, parser)));
  }
}

}  // namespace mbnn::app
