// Joins the options that the library declares to the parser of the command line.
#pragma once

#include <string>
#include <vector>

#include "mbnn/core/options.h"

namespace CLI {
class App;
}

namespace mbnn::app {

// What was written of a fit.
struct FitArguments {
  GivenOptions given;
  std::string out;
  bool force = false;
};

// The options of a list, the fit file to write, and --force. What is written goes to `arguments`, which must last.
void add_fit_options(CLI::App& verb, const OptionList& options, FitArguments& arguments);

// What stands behind "--" of a study: options of the verb `of`, but for those in the groups `without`, which the study
// sets itself. InputError says what is wrong with them.
GivenOptions options_behind_dashes(const std::vector<std::string>& words, const OptionList& options,
                                   const std::vector<std::string>& without, const std::string& of);

// Whether the help shows all options (--help-all), or the basic ones of fits.
bool& all_options_shown();

// The message of an error, with an option spelled as it is written here.
std::string words_of(const InputError& error);

}  // namespace mbnn::app
