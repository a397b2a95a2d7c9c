// The verbs of the command line: each adds its options to the parser and runs when chosen.
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

void add_fit(CLI::App& app, Common& common, Action& action);
void add_resume(CLI::App& app, Common& common, Action& action);
void add_predict(CLI::App& app, Common& common, Action& action);
void add_evaluate(CLI::App& app, Common& common, Action& action);
void add_diagnose(CLI::App& app, Common& common, Action& action);
void add_summary(CLI::App& app, Common& common, Action& action);
void add_image(CLI::App& app, Common& common, Action& action);
void add_series(CLI::App& app, Common& common, Action& action);
void add_reproduce(CLI::App& app, Common& common, Action& action);

void add_common_options(CLI::App& verb, Common& common);
// The table that a verb reads; "-" is the standard input.
void add_table(CLI::App& verb, std::string& path, const std::string& about);
// Its delimiter, by name; `told` says where it comes from otherwise.
CLI::Option* add_delimiter(CLI::App& verb, std::optional<char>& delimiter, const std::string& told);
// The file to write; "-" is the standard output.
CLI::Option* add_output(CLI::App& verb, std::string& path, const std::string& about);

}  // namespace mbnn::app
