#include "apps/mbnn/progress.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace mbnn::app {

namespace {

constexpr double kPipeSeconds = 5, kScreenSeconds = 0.15;  // from one show to the next

}  // namespace

std::size_t screen_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1u : 79u;
}

std::string clock_time(double seconds) {
  const auto s = static_cast<long>(seconds + 0.5);
  if (s >= 3600) return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

Progress::Progress(std::size_t chains, std::size_t at_once, std::int64_t length, bool quiet, std::string task)
    : at_once_(at_once), task_(std::move(task)), quiet_(quiet), terminal_(isatty(STDERR_FILENO)) {
  chains_.resize(chains);
  for (std::size_t i = 0; i < chains; ++i) {
    chains_[i].chain = i;
    chains_[i].length = length;
  }
}

Progress::~Progress() {
  if (drawn_) fmt::print(stderr, "\n");
}

std::string Progress::line(const Status& s) const {
  using Phase = Status::Phase;
  static const char* const names[] = {"waiting", "starting", "warm-up", "sampling", "training", "done"};
  const char* name = names[static_cast<int>(s.phase)];
  if (s.phase == Phase::waiting || s.phase == Phase::starting) return fmt::format("chain {:<2} {}", s.chain + 1, name);
  const std::string place = s.place.empty() ? fmt::format("{}/{}", s.done, s.length) : s.place;
  std::string text = fmt::format("chain {:<2} {:<8} {:>3.0f}%  {}  left {:>5}", s.chain + 1, name,
                                 100.0 * static_cast<double>(s.done) / static_cast<double>(s.length), place,
                                 clock_time(s.seconds_left));
  if (!s.widths.empty()) text += fmt::format("  widths ({})", fmt::join(s.widths, ", "));
  for (const Figure& f : s.figures)
    text += f.decimals < 0 ? fmt::format("  {} {:.4g}", f.name, f.value)
                           : fmt::format("  {} {:.{}f}", f.name, f.value, f.decimals);
  return text;
}

// Work left over all chains, shared by those that run at once, but never less than the slowest chain needs.
double Progress::seconds_left() const {
  double per_step = 0, known = 0, longest = 0, total = 0;
  for (const auto& s : chains_)
    if (s.seconds_left > 0) {
      per_step += s.seconds_left / static_cast<double>(std::max<std::int64_t>(1, s.length - s.done));
      ++known;
    }
  if (known == 0) return 0;
  for (const auto& s : chains_) {
    if (s.phase == Status::Phase::finished) continue;
    const double left = per_step / known * static_cast<double>(s.length - s.done);
    total += left;
    longest = std::max(longest, left);
  }
  return std::max(longest, total / static_cast<double>(std::min(at_once_, chains_.size())));
}

void Progress::redraw() {
  if (drawn_) fmt::print(stderr, "\x1b[{}A\r", chains_.size());
  for (const auto& s : chains_) fmt::print(stderr, "\x1b[2K{:.{}}\n", line(s), screen_columns());
  fmt::print(stderr, "\x1b[2K{}time left about {}", task_, clock_time(seconds_left()));
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::show(const Status& status) {
  chains_[status.chain] = status;
  if (quiet_) return;
  if (since_shown_.seconds() < (terminal_ ? kScreenSeconds : kPipeSeconds)) return;
  since_shown_.restart();
  if (terminal_) return redraw();
  for (const auto& s : chains_)
    if (s.phase != Status::Phase::waiting) fmt::print(stderr, "{}\n", line(s));
  fmt::print(stderr, "{}time left about {}\n", task_, clock_time(seconds_left()));
  std::fflush(stderr);
}

void Progress::finish() {
  if (quiet_) return;
  if (terminal_) {
    redraw();
    fmt::print(stderr, "\r\x1b[2K");
    std::fflush(stderr);
    drawn_ = false;
  }
}

}  // namespace mbnn::app
