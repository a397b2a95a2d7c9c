#include "apps/common/help.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstdlib>

#include "apps/common/declared_options.h"
#include "apps/common/details.h"
#include "mbnn/core/text.h"

namespace mbnn::app {

namespace {

constexpr std::size_t kIndent = 28;  // of what is said about an option

std::size_t line_length() {
  const char* told = std::getenv("COLUMNS");
  winsize size{};
  std::size_t columns = 80;
  if (const auto number = number_in<std::size_t>(told ? told : ""))
    columns = *number;
  else if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    columns = size.ws_col;
  return std::clamp<std::size_t>(columns, 60, 100);
}

// Characters, of which some have several bytes.
std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

// The words, from the column `at` on; further lines begin at the column `indent`.
std::string wrapped(const std::string& text, std::size_t at, std::size_t indent) {
  const std::size_t limit = line_length();
  std::string all;
  for (const std::string& word : split(text, ' ')) {
    const std::size_t length = characters(word);
    const bool begins = all.empty() || all.back() == ' ';
    if (at > indent && at + length + !begins > limit) {
      all += "\n" + std::string(indent, ' ');
      at = indent;
    } else if (!begins) {
      all += " ";
      ++at;
    }
    all += word;
    at += length;
  }
  return all + "\n";
}

// Two columns; what does not fit into the first has a line of its own.
std::string entry(const std::string& name, const std::string& about) {
  std::string text = "  " + name;
  const std::size_t length = characters(text);
  if (about.empty()) return text + "\n";
  text += length + 2 > kIndent ? "\n" + std::string(kIndent, ' ') : std::string(kIndent - length, ' ');
  return text + wrapped(about, kIndent, kIndent);
}

std::string entries(const std::string& heading, const std::vector<const CLI::Option*>& options) {
  std::string text;
  for (const CLI::Option* option : options) text += entry(option_with_kind(*option), option->get_description());
  return text.empty() ? "" : fmt::format("\n{}:\n{}", heading, text);
}

}  // namespace

std::string option_with_kind(const CLI::Option& option) {
  std::string text = spelled(option);
  const bool several = option.get_items_expected_max() > 1;
  if (option.get_type_name() == "OPTIONS") return fmt::format("-- {}...", text);
  if (option.get_positional()) return several ? text + "..." : text;
  if (!option.get_snames().empty() && text.starts_with("--"))
    text = fmt::format("-{}, {}", option.get_snames()[0], text);
  return takes_value(option) ? fmt::format("{} {}", text, option.get_type_name()) : text;
}

std::string usage_of(const CLI::App& verb) {
  std::string text = full_name(verb), last;
  if (!listed_verbs(verb).empty()) return text + " VERB ...";
  for (const CLI::Option* option : listed_options(verb)) {
    if (option->get_required() && option->get_positional())
      text += " " + option_with_kind(*option);
    else if (option->get_required())
      text += fmt::format(" {} {}", spelled(*option), option->get_type_name());
    else if (option->get_positional())
      last = fmt::format(" [{}]", option_with_kind(*option));
  }
  return text + " [OPTIONS]" + last;
}

std::string Help::make_help(const CLI::App* verb, std::string, CLI::AppFormatMode) const {
  std::string text;
  for (const std::string& line : split(verb->get_description(), '\n'))
    text += line.starts_with(' ') ? line + "\n" : wrapped(line, 0, 0);  // an example stays as it is
  text += "\n" + wrapped("Usage: " + usage_of(*verb), 0, 7);
  text += entries("Arguments", verb->get_options([](const CLI::Option* o) { return o->get_positional(); }));
  const std::vector<const CLI::App*> verbs = listed_verbs(*verb);
  if (!verbs.empty()) text += "\nVerbs:\n";
  for (const CLI::App* below : verbs) text += entry(below->get_name(), below->get_description());
  for (const std::string& group : verb->get_groups())
    if (!group.empty())
      text += entries(group, verb->get_options(
                                 [&](const CLI::Option* o) { return o->get_group() == group && o->nonpositional(); }));
  const auto further =
      std::ranges::count_if(listed_options(*verb), [](auto* o) { return details_of(*o).short_of_help; });
  if (further > 0 && !all_options_shown())
    text += fmt::format("\n{} further options: {} --help-all\n", further, full_name(*verb));
  if (!verb->get_footer().empty()) text += fmt::format("\n{}\n", verb->get_footer());
  return text;
}

}  // namespace mbnn::app
