#include "apps/common/complete.h"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <filesystem>

#include "apps/common/details.h"
#include "mbnn/core/text.h"
#include "mbnn/tables/columns/table.h"

namespace mbnn::app {

namespace {

// As the shell would hand it over.
std::string unquoted(const std::string& word) {
  std::string text;
  char quote = 0;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    if (c == quote)
      quote = 0;
    else if (!quote && (c == '"' || c == '\''))
      quote = c;
    else if (c == '\\' && quote != '\'' && i + 1 < word.size())
      text += word[++i];
    else
      text += c;
  }
  return text;
}

// What the words before the last one say.
struct Place {
  const CLI::App* verb;
  const CLI::Option* awaits = nullptr;      // an option whose value comes next
  std::vector<std::string> arguments = {};  // given by their place
  std::vector<const CLI::Option*> given = {};
  bool behind_dashes = false;
};

const CLI::Option* option_called(const CLI::App& verb, const std::string& word) {
  for (const CLI::Option* option : verb.get_options())
    if (word.starts_with("--") ? option->check_lname(word.substr(2))
                               : word.size() == 2 && option->check_sname(word.substr(1)))
      return option;
  return nullptr;
}

Place read_words(const CLI::App& app, const std::vector<std::string>& words) {
  Place place{.verb = &app};
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (place.awaits && word == "=") continue;
    if (place.awaits) {
      place.awaits = nullptr;
    } else if (word == "--") {
      place.behind_dashes = true;
    } else if (word.starts_with('-') && word.size() > 1) {
      const CLI::Option* option = option_called(*place.verb, word);
      if (option) place.given.push_back(option);
      if (option && takes_value(*option)) place.awaits = option;
    } else if (const CLI::App* below = verb_below(*place.verb, word)) {
      place.verb = below;
    } else if (place.verb != &app || word != "help") {
      place.arguments.push_back(unquoted(word));
    }
  }
  return place;
}

// Arguments that are given by their place, in order.
std::vector<const CLI::Option*> positionals(const CLI::App& verb) {
  return verb.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

// Names of the columns of the table on the command line; none if there is no such table.
std::vector<std::string> columns(const Place& place) try {
  const auto places = positionals(*place.verb);
  for (std::size_t i = 0; i < std::min(places.size(), place.arguments.size()); ++i)
    if (places[i]->get_type_name() == "FILE" && std::filesystem::is_regular_file(place.arguments[i]))
      return column_names_of(place.arguments[i]);
  return {};
} catch (const std::exception&) {
  return {};
}

// Each of `names`, but for those that are there, behind what stands before the last comma of `current`.
std::vector<std::string> listed_behind(const std::string& current, const std::vector<std::string>& names) {
  const std::size_t comma = current.rfind(',');
  const std::string before = comma == current.npos ? "" : current.substr(0, comma + 1);
  std::vector<std::string> words;
  for (const std::string& name : names)
    if (("," + before).find("," + csv_cell(name) + ",") == before.npos) words.push_back(before + csv_cell(name));
  return words;
}

Completion values(const CLI::Option& option, const Place& place, const std::string& current) {
  const std::string kind = option.get_type_name();
  if (kind == "FILE" || kind == "FIT" || kind == "DIRECTORY") return {.files = true};
  if (kind == "COLUMN") return {.words = columns(place)};
  if (kind == "COLUMNS") return {.words = listed_behind(current, columns(place))};
  return {.words = choices_of(option)};
}

Completion next(const Place& place, const std::string& current) {
  const CLI::App& verb = *place.verb;
  Completion all;
  if (current.starts_with('-')) {
    for (const CLI::Option* option : listed_options(verb)) {
      const bool again =
          option->get_type_name() == "COLUMNS" || std::ranges::find(place.given, option) == place.given.end();
      if (!option->get_positional() && again) all.words.push_back(spelled(*option));
    }
    return all;
  }
  for (const CLI::App* below : listed_verbs(verb)) all.words.push_back(below->get_name());
  const auto places = positionals(verb);
  if (!all.words.empty() || places.empty()) return all;
  const CLI::Option& argument = *places[std::min(place.arguments.size(), places.size() - 1)];
  const bool room = place.arguments.size() < places.size() || argument.get_items_expected_max() > 1;
  return room ? values(argument, place, current) : all;
}

}  // namespace

Completion complete(const CLI::App& app, std::vector<std::string> words) {
  if (words.empty()) words.emplace_back();
  const Place place = read_words(app, words);
  if (place.behind_dashes) return {};
  const std::string current = words.back() == "=" && place.awaits ? "" : unquoted(words.back());
  Completion all = place.awaits ? values(*place.awaits, place, current) : next(place, current);
  std::erase_if(all.words, [&](const std::string& word) { return !word.starts_with(current); });
  return all;
}

}  // namespace mbnn::app
