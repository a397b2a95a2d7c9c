#include "apps/common/parse_errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "mbnn/core/error.h"
#include "mbnn/core/known_names.h"

namespace mbnn::app {

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

}  // namespace

void refuse_negative_counts(CLI::App& app) {
  for (CLI::Option* option : app.get_options())
    if (option->get_type_name() == "UINT")
      option->check(
          [](const std::string& value) { return value.starts_with('-') ? value + " must not be negative" : ""; });
  for (CLI::App* verb : app.get_subcommands([](CLI::App*) { return true; })) refuse_negative_counts(*verb);
}

std::string explain_options(const CLI::ParseError& error, const CLI::App& verb) {
  const std::string text = error.what(), twice = ": At Most 1 required but received";
  if (const auto wrong = unexpected(verb)) return *wrong;
  if (const auto wrong = unconverted(text, verb)) return *wrong;
  if (const auto at = text.find(twice); at != text.npos) return text.substr(0, at) + " is given more than once";
  return text;
}

std::string explain(const CLI::ParseError& error, const CLI::App& app, const std::vector<std::string>& words) {
  // The innermost verb that was understood, and the word behind it that should have been one of its own verbs.
  const CLI::App* verb = &app;
  std::size_t place = 0;
  while (!verb->get_subcommands().empty()) verb = verb->get_subcommands().front(), ++place;
  std::vector<std::string> verbs;
  for (const auto* below : verb->get_subcommands([](const CLI::App* a) { return !a->get_group().empty(); }))
    verbs.push_back(below->get_name());  // those that the help shows
  // What was understood, without the word mbnn that both programs' names begin with.
  const auto blank = app.get_name().find(' ');
  std::string parent = blank == std::string::npos ? "" : app.get_name().substr(blank + 1) + " ";
  if (verb != &app) parent += verb->get_name() + " ";
  if (!verbs.empty() && place < words.size() && !words[place].starts_with('-')) {
    const auto nearest = nearest_name(words[place], verbs);
    return fmt::format("no verb '{}{}'; expected one of {}{}", parent, words[place], fmt::join(verbs, ", "),
                       nearest ? fmt::format("; did you mean '{}'?", *nearest) : "");
  }
  if (!verbs.empty() && !parent.empty() && place >= words.size())
    return fmt::format("{}: expected one of {} behind it", parent.substr(0, parent.size() - 1), fmt::join(verbs, ", "));
  return explain_options(error, *verb);
}

void parse_behind_dashes(CLI::App& parser, const std::vector<std::string>& options, const char* of) {
  refuse_negative_counts(parser);
  std::vector<std::string> reversed(options.rbegin(), options.rend());
  try {
    parser.parse(reversed);
  } catch (const CLI::ParseError& error) {
    throw InputError(fmt::format("options of {} behind --: {}", of, explain_options(error, parser)));
  }
}

}  // namespace mbnn::app
