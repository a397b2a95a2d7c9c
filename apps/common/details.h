// What the parser does not keep of verbs and options, and errors, help and completion need.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace mbnn::app {

struct Details {
  std::vector<std::string> known_as;  // words that are not taken, and lead here
  std::string when;                   // "with sampler hmc", if that is when it is of use
  bool short_of_help = false;         // listed by --help-all alone
};

// Kept as long as the program runs.
Details& details_of(const CLI::App& verb);
Details& details_of(const CLI::Option& option);

// The verbs and options that a person is shown; the latter of all groups, also those that a short help leaves out.
std::vector<const CLI::App*> listed_verbs(const CLI::App& verb);
std::vector<const CLI::Option*> listed_options(const CLI::App& verb);

// The verb of that name below another one, listed or not; null if there is none.
const CLI::App* verb_below(const CLI::App& verb, const std::string& name);

// "--target", or "DATA" of an argument that is given by its place.
std::string spelled(const CLI::Option& option);
// "mbnn series fit"
std::string full_name(const CLI::App& verb);
// No flag.
bool takes_value(const CLI::Option& option);
// The words of the kind "X|auto|validate" that are to be written as they are: those in lower case.
std::vector<std::string> choices_of(const CLI::Option& option);

}  // namespace mbnn::app
