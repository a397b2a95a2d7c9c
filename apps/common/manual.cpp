#include "apps/common/manual.h"

#include <fmt/format.h>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cctype>

#include "apps/common/details.h"
#include "apps/common/help.h"
#include "mbnn/core/text.h"

namespace mbnn::app {

namespace {

// Code points beyond ASCII by number, so that the page depends on no encoding.
std::string escaped(const std::string& text) {
  std::string all;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '\\') {
      all += "\\e";
    } else if (c == '-') {
      all += "\\-";
    } else if (c == '\'') {
      all += "\\(aq";
    } else if (c == '^') {
      all += "\\(ha";
    } else if (c == ',' && i + 1 < text.size() && text[i + 1] != ' ') {
      all += ",\\:";  // a long list may be broken there
    } else if (c < 0x80) {
      all += text[i];
    } else {
      unsigned point = c & (c >= 0xF0 ? 0x07 : c >= 0xE0 ? 0x0F : 0x1F);
      while (i + 1 < text.size() && (text[i + 1] & 0xC0) == 0x80)
        point = point << 6 | (static_cast<unsigned char>(text[++i]) & 0x3F);
      all += fmt::format("\\[u{:04X}]", point);
    }
  }
  return all;
}

std::string capitals(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// A line of text: a dot in front would make it a request.
std::string line(const std::string& text) {
  const std::string all = escaped(text);
  return (all.starts_with('.') ? "\\&" : "") + all + "\n";
}

std::string heading(const char* macro, const std::string& text) {
  return fmt::format(".{} \"{}\"\n", macro, escaped(text));
}

std::string option_entry(const CLI::Option& option) {
  return fmt::format(".TP\n\\fB{}\\fR\n{}", escaped(option_with_kind(option)), line(option.get_description()));
}

// Lines that a page shows as they are.
std::string example(const std::string& text) {
  std::string all = ".PP\n.nf\n";
  for (const std::string& one : split(text, '\n')) all += line(one);
  return all + ".fi\n";
}

std::string verb_section(const CLI::App& verb) {
  std::string text = heading("SS", full_name(verb)) + line(verb.get_description()) + ".PP\n" +
                     fmt::format("\\fB{}\\fR\n", escaped(usage_of(verb)));
  for (const CLI::Option* option : verb.get_options([](const CLI::Option* o) { return o->get_positional(); }))
    text += option_entry(*option);
  std::vector<std::string> groups;
  const auto options = listed_options(verb);
  for (const CLI::Option* option : options)
    if (option != verb.get_help_ptr() && !option->get_positional() &&
        std::ranges::find(groups, option->get_group()) == groups.end())
      groups.push_back(option->get_group());
  for (const std::string& group : groups) {
    text += fmt::format(".PP\n\\fI{}\\fR\n", escaped(group));
    for (const CLI::Option* option : options)
      if (option != verb.get_help_ptr() && !option->get_positional() && option->get_group() == group)
        text += option_entry(*option);
  }
  if (!verb.get_footer().empty()) text += example(verb.get_footer());
  for (const CLI::App* below : listed_verbs(verb)) text += verb_section(*below);
  return text;
}

}  // namespace

std::string manual_page(const CLI::App& app, const std::string& version) {
  std::string name = app.get_name();
  std::ranges::replace(name, ' ', '-');
  const std::string description = app.get_description();
  const std::size_t end = description.find('\n');
  std::string first = description.substr(0, end);
  if (first.starts_with(name + ": ")) first = first.substr(name.size() + 2);
  if (first.ends_with('.')) first.pop_back();
  std::string text = fmt::format(".TH {} 1 \"\" \"mbnn {}\"\n", capitals(name), version);
  text += ".nh\n.ad l\n";  // options are not hyphenated, and lines not stretched
  text += heading("SH", "NAME") + escaped(name) + " \\- " + line(first);
  text += heading("SH", "SYNOPSIS") + fmt::format("\\fB{}\\fR\n", escaped(usage_of(app)));
  text += heading("SH", "DESCRIPTION");
  text += end == description.npos ? line(first) : example(description.substr(end + 1));
  if (!app.get_footer().empty()) text += example(app.get_footer());
  text += heading("SH", "VERBS");
  for (const CLI::App* verb : listed_verbs(app)) text += verb_section(*verb);
  text += heading("SH", "SEE ALSO");
  text += line(name == "mbnn" ? "mbnn-reproduce(1)" : "mbnn(1)");
  return text;
}

}  // namespace mbnn::app
