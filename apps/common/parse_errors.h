// What the parser of options found wrong, in words that say what to write instead.
#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <vector>

namespace mbnn::app {

// The innermost verb that was understood.
const CLI::App& chosen_verb(const CLI::App& app);

// "-target": long options that were written with one dash, which a parser takes for letters.
std::optional<std::string> one_dash_for_two(const CLI::App& verb, const std::vector<std::string>& words);

// Of a whole command line, whose verbs or options may be wrong.
std::string explain(const CLI::ParseError& error, const CLI::App& app, const std::vector<std::string>& words);

// Parses what stands behind "--" of a study: options of the verb `of`. InputError says what is wrong with them.
void parse_behind_dashes(CLI::App& parser, const std::vector<std::string>& options, const char* of);

}  // namespace mbnn::app
