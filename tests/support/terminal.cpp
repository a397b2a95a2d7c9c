#include "tests/support/terminal.h"

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

namespace mbnn {

std::string ProgressDisplay::on_terminal(const std::string& line, unsigned short columns, int& code) const {
  const auto arguments = words(line);
  std::vector<char*> argv{const_cast<char*>("mbnn")};
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  winsize size{};
  size.ws_row = 24;
  size.ws_col = columns;
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    if (chdir(directory().c_str()) != 0) _exit(99);
    execv(program(), argv.data());
    _exit(98);
  }
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = ::read(terminal, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(n));
  close(terminal);
  int status = 0;
  waitpid(child, &status, 0);
  code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return text;
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  const std::string clear = "\x1b[2K";
  for (auto at = text.find(clear); at != text.npos; at = text.find(clear, at + 1)) {
    const auto end = text.find_first_of("\r\n\x1b", at + clear.size());
    longest = std::max(longest, end - at - clear.size());
  }
  return longest;
}

}  // namespace mbnn
