// What the verbs of both programs have in common: exit codes, the options that every verb takes, files and "-".
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <optional>
#include <string>

namespace mbnn::app {

inline constexpr const char* kStandardOutput = "/dev/stdout";

enum ExitCode { good = 0, failed = 1, wrong_input = 2, not_trusted = 3 };

// Options that every verb takes.
struct Common {
  bool json = false, quiet = false;
  std::size_t threads = 0;  // 0: as many as the machine has
  std::size_t thread_count() const;
};

// What the chosen verb will do once parsing has succeeded.
using Action = std::function<int()>;

void add_version(CLI::App& app);
void add_common_options(CLI::App& verb, Common& common);
// The table that a verb reads; "-" is the standard input.
void add_table(CLI::App& verb, std::string& path, const std::string& about);
// Its delimiter, by name; `told` says where it comes from otherwise.
CLI::Option* add_delimiter(CLI::App& verb, std::optional<char>& delimiter, const std::string& told);
// The file to write; "-" is the standard output.
CLI::Option* add_output(CLI::App& verb, std::string& path, const std::string& about);

// Whether the help is to show all options of a verb: verbs must know it before they declare them.
bool asks_for_all_options(int argc, char** argv);

// Parses the words and does what their verb says. Wrong ones are told on stderr, with the help to read.
int parse_and_run(CLI::App& app, const Action& action, int argc, char** argv);

}  // namespace mbnn::app
