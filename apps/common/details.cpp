#include "apps/common/details.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <map>

#include "mbnn/core/text.h"

namespace mbnn::app {

namespace {

Details& details_at(const void* place) {
  static std::map<const void*, Details> all;
  return all[place];
}

}  // namespace

Details& details_of(const CLI::App& verb) { return details_at(&verb); }
Details& details_of(const CLI::Option& option) { return details_at(&option); }

std::vector<const CLI::App*> listed_verbs(const CLI::App& verb) {
  return verb.get_subcommands([](const CLI::App* below) { return !below->get_group().empty(); });
}

const CLI::App* verb_below(const CLI::App& verb, const std::string& name) {
  const auto found = verb.get_subcommands([&](const CLI::App* below) { return below->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

// Old spellings have no group, and say nothing.
std::vector<const CLI::Option*> listed_options(const CLI::App& verb) {
  return verb.get_options(
      [](const CLI::Option* option) { return !option->get_group().empty() || details_of(*option).short_of_help; });
}

std::string spelled(const CLI::Option& option) {
  if (option.get_positional()) return option.get_single_name();
  const auto& names = option.get_lnames();
  return names.empty() ? "-" + option.get_snames().front() : "--" + names.front();
}

std::string full_name(const CLI::App& verb) {
  const CLI::App* parent = verb.get_parent();
  return parent ? full_name(*parent) + " " + verb.get_name() : verb.get_name();
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::vector<std::string> choices_of(const CLI::Option& option) {
  std::vector<std::string> words = split(option.get_type_name(), '|');
  std::erase_if(words, [](const std::string& word) {
    return word.empty() || std::ranges::any_of(word, [](char c) { return (c >= 'A' && c <= 'Z') || c == ':'; });
  });
  return words;
}

}  // namespace mbnn::app
