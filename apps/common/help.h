// The help of a verb, wrapped for the screen.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace mbnn::app {

class Help : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* verb, std::string name, CLI::AppFormatMode mode) const override;
};

// "fit DATA --target COLUMN --out FILE [OPTIONS]", behind the verb's name.
std::string usage_of(const CLI::App& verb);
// "-t, --target COLUMN"
std::string option_with_kind(const CLI::Option& option);

}  // namespace mbnn::app
