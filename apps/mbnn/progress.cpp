#include "apps/mbnn/progress.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace mbnn::app {

namespace {

constexpr auto kPipeInterval = std::chrono::seconds(5);
constexpr auto kScreenInterval = std::chrono::milliseconds(150);

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

Progress::Progress(std::size_t chains, std::size_t threads, double error_unit, std::string error_name, bool quiet)
    : threads_(threads),
      error_unit_(error_unit),
      error_name_(std::move(error_name)),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO)),
      last_(std::chrono::steady_clock::now()) {
  reports_.resize(chains);
  for (std::size_t i = 0; i < chains; ++i) reports_[i].chain = i;
}

Progress::~Progress() {
  if (drawn_) fmt::print(stderr, "\n");
}

std::string Progress::line(const ChainReport& r) const {
  using Phase = ChainReport::Phase;
  static const char* const names[] = {"waiting", "starting", "warm-up", "sampling", "done", "training"};
  const char* name = names[static_cast<int>(r.phase)];
  if (r.phase == Phase::waiting || r.phase == Phase::starting || r.iterations == 0)
    return fmt::format("chain {:<2} {}", r.chain + 1, name);
  std::string text = fmt::format("chain {:<2} {:<8} {:>3.0f}%  {}/{}  left {:>5}", r.chain + 1, name,
                                 100.0 * static_cast<double>(r.iteration) / static_cast<double>(r.iterations),
                                 r.iteration, r.iterations, clock_time(r.seconds_left));
  if (!r.widths.empty()) text += fmt::format("  widths ({})", fmt::join(r.widths, ", "));
  if (r.acceptance > 0) text += fmt::format("  accept {:.2f}", r.acceptance);
  return text + fmt::format("  {} {:.4g}", error_name_, r.training_error * error_unit_);
}

// Work left over all chains, shared by the threads, but never less than the slowest chain needs.
double Progress::seconds_left() const {
  double per_iteration = 0, known = 0, longest = 0, total = 0;
  for (const auto& r : reports_)
    if (r.iterations > 0 && r.seconds_left > 0) {
      per_iteration += r.seconds_left / static_cast<double>(std::max<std::int64_t>(1, r.iterations - r.iteration));
      ++known;
    }
  if (known == 0) return 0;
  const double mean = per_iteration / known;
  std::int64_t length = 0;
  for (const auto& r : reports_) length = std::max(length, r.iterations);
  for (const auto& r : reports_) {
    if (r.phase == ChainReport::Phase::finished) continue;
    const double left = mean * static_cast<double>((r.iterations > 0 ? r.iterations : length) - r.iteration);
    total += left;
    longest = std::max(longest, left);
  }
  return std::max(longest, total / static_cast<double>(std::min(threads_, reports_.size())));
}

void Progress::redraw() {
  if (drawn_) fmt::print(stderr, "\x1b[{}A\r", reports_.size());
  for (const auto& r : reports_) fmt::print(stderr, "\x1b[2K{:.{}}\n", line(r), screen_columns());
  fmt::print(stderr, "\x1b[2Ktime left about {}", clock_time(seconds_left()));
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::show(const ChainReport& report) {
  reports_[report.chain] = report;
  if (quiet_) return;
  const auto now = std::chrono::steady_clock::now();
  const bool due = now - last_ > (terminal_ ? std::chrono::duration_cast<std::chrono::milliseconds>(kScreenInterval)
                                            : std::chrono::duration_cast<std::chrono::milliseconds>(kPipeInterval));
  if (!due) return;
  last_ = now;
  if (terminal_) return redraw();
  for (const auto& r : reports_)
    if (r.phase != ChainReport::Phase::waiting) fmt::print(stderr, "{}\n", line(r));
  fmt::print(stderr, "time left about {}\n", clock_time(seconds_left()));
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
