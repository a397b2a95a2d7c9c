// What may stand next on a command line, for completion by the shell (apps/completion/mbnn.bash).
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace mbnn::app {

struct Completion {
  bool files = false;                   // names of files, which the shell knows itself
  std::vector<std::string> words = {};  // otherwise
};

// Of the words behind the program's name, the last one, which is not complete and may be empty. As bash splits them:
// "=" is a word of its own, quotes and backslashes stand.
Completion complete(const CLI::App& app, std::vector<std::string> words);

}  // namespace mbnn::app
