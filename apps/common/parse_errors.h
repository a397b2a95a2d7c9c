// What the parser of options found wrong, in words that say what to write instead.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace mbnn::app {

// Makes whole numbers that cannot be negative refuse a sign, in all verbs below: CLI11 reads -1 as the largest of them.
void refuse_negative_counts(CLI::App& app);

// Of the verb's own options and words.
std::string explain_options(const CLI::ParseError& error, const CLI::App& verb);
// The same for a whole command line, whose verbs may be wrong, too.
std::string explain(const CLI::ParseError& error, const CLI::App& app, const std::vector<std::string>& words);

// Parses what stands behind "--" of a study: options of the verb `of`. InputError says what is wrong with them.
void parse_behind_dashes(CLI::App& parser, const std::vector<std::string>& options, const char* of);

}  // namespace mbnn::app
