// The manual page of a program, made from its verbs and options.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace mbnn::app {

// In the macros of man(7).
std::string manual_page(const CLI::App& app, const std::string& version);

}  // namespace mbnn::app
