// Joins the options that are declared (mbnn/core/options.h) to the parser of the command line.
#pragma once

#include <string>
#include <vector>

#include "mbnn/core/options.h"

namespace CLI {
class App;
}

namespace mbnn::app {

// The parser only notes what was written, in `given`, which must last; the list reads it. Where `only` is given, those
// of the options for which it holds.
void add_options(CLI::App& verb, const OptionList& options, GivenOptions& given,
                 const std::function<bool(const Option&)>& only = {});
// Takes over what was given, and checks it.
void take(OptionList options, const GivenOptions& given);

// What stands behind "--" of a study: options of the verb `of`, but for those in the groups `without`, which the study
// sets itself. InputError says what is wrong with them.
GivenOptions options_behind_dashes(const std::vector<std::string>& words, const OptionList& options,
                                   const std::vector<std::string>& without, const std::string& of);

// Whether the help shows all options (--help-all), or the basic ones of fits.
bool& all_options_shown();

// The message of an error, with an option spelled as it is written here.
std::string words_of(const InputError& error);

}  // namespace mbnn::app
