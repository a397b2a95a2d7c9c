#include "mbnn/run/loop.h"

#include <algorithm>
#include <thread>

#include "mbnn/core/error.h"

namespace mbnn {

namespace {

constexpr double kTurnSeconds = 0.7;       // of a process, before the next one has its turn
constexpr std::int64_t kTimedSteps = 200;  // the mean time of a step is over about so many

Rhythm rhythm_of(const Problem& problem, const RunOptions& options) {
  Rhythm rhythm = problem.rhythm();
  if (options.checkpoint_seconds >= 0) rhythm.checkpoint_seconds = options.checkpoint_seconds;
  return rhythm;
}

}  // namespace

RunLoop::RunLoop(const Problem& problem, Keeper& keeper, const RunOptions& options)
    : problem_(problem),
      keeper_(keeper),
      options_(options),
      rhythm_(rhythm_of(problem, options)),
      length_(problem.length()) {
  const std::size_t threads = options.threads > 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  const std::size_t share = std::max<std::size_t>(1, threads / problem.chains());
  resources_ = {rhythm_.side_by_side ? share : threads, options.stop};
  workers_ = rhythm_.side_by_side ? threads : 1;
  runners_.resize(problem.chains());
  for (std::size_t i = 0; i < runners_.size(); ++i) {
    runners_[i].done = keeper.done(i);
    if (!finished(i)) queue_.push_back(i);
  }
}

bool RunLoop::go() {
  for (std::size_t i = 0; i < runners_.size(); ++i)
    if (finished(i)) report(i);
  const std::size_t workers = std::min(workers_, queue_.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < workers; ++i) threads.emplace_back([this] { work(); });
    work();
  }
  if (failure_) std::rethrow_exception(failure_);
  return std::all_of(runners_.begin(), runners_.end(), [this](const Runner& r) { return r.done >= length_; });
}

void RunLoop::work() {
  for (;;) {
    std::size_t chain;
    {
      const std::lock_guard guard(mutex_);
      if (queue_.empty() || failure_ || options_.stop.stop_requested()) return;
      chain = queue_.front();
      queue_.pop_front();
    }
    try {
      turn(chain);
    } catch (...) {
      const std::lock_guard guard(mutex_);
      if (!failure_) failure_ = std::current_exception();
      return;
    }
    const std::lock_guard guard(mutex_);
    if (!finished(chain)) queue_.push_back(chain);
  }
}

void RunLoop::begin(std::size_t chain) {
  Runner& runner = runners_[chain];
  runner.process = problem_.process(chain, resources_);
  if (keeper_.restore(chain, *runner.process)) {
    runner.kept = runner.done;
  } else {
    report(chain);
    runner.process->start();
  }
  runner.since_kept.restart();
}

// What a process says when it cannot go on, and what is left of it.
void RunLoop::turn(std::size_t chain) try {
  Runner& runner = runners_[chain];
  if (!runner.process) begin(chain);
  const Stopwatch in_turn;  // the start of a process says nothing of what a step takes
  Stopwatch since_report;
  while (!finished(chain) && !options_.stop.stop_requested()) {
    step(chain);
    if (rhythm_.side_by_side && in_turn.seconds() > kTurnSeconds) break;
    if (since_report.seconds() < options_.report_seconds) continue;
    since_report.restart();
    report(chain);
  }
  if (due(runner, false, true)) commit(chain);
  report(chain);
  if (finished(chain)) runner.process.reset();  // a large network need not stay while others run
} catch (const SamplerError& error) {
  if (!keeper_.lasting()) throw;
  const std::int64_t kept = runners_[chain].kept;
  throw SamplerError(kept <= 0 ? fmt::format("{}. Nothing was stored yet", error.what())
                               : fmt::format("{}. What is stored stays: {} of {} {}, {} draws", error.what(), kept,
                                             length_, problem_.step_name(), keeper_.draws(chain)));
}

void RunLoop::step(std::size_t chain) {
  Runner& runner = runners_[chain];
  const Stopwatch watch;
  runner.process->advance();
  runner.done = runner.process->done();
  const auto share = static_cast<double>(std::min(++runner.timed, kTimedSteps));
  runner.step_seconds += (watch.seconds() - runner.step_seconds) / share;
  std::optional<Draw> draw = runner.process->draw();
  if (draw)
    runner.fresh.push_back({static_cast<int>(chain), runner.done, std::move(draw->state), std::move(draw->traces)});
  if (due(runner, draw.has_value(), false)) commit(chain);
}

bool RunLoop::due(const Runner& runner, bool at_draw, bool turn_ends) const {
  if (runner.done == runner.kept) return false;
  if (at_draw && rhythm_.store_each_draw) return true;
  const bool last = runner.done >= length_ || options_.stop.stop_requested();
  if (turn_ends) return last || rhythm_.checkpoint_seconds == 0;
  const bool waits_for_turn = rhythm_.side_by_side && rhythm_.checkpoint_seconds == 0;
  return !waits_for_turn && runner.since_kept.seconds() >= rhythm_.checkpoint_seconds;
}

void RunLoop::commit(std::size_t chain) {
  Runner& runner = runners_[chain];
  const Process& process = *runner.process;
  const bool lasting = keeper_.lasting();
  keeper_.keep(chain, runner.done, std::exchange(runner.fresh, {}),
               lasting ? process.statistics() : nlohmann::json(nullptr),
               lasting ? process.checkpoint() : std::vector<std::byte>());
  runner.kept = runner.done;
  runner.since_kept.restart();
}

void RunLoop::report(std::size_t chain) {
  if (!options_.report) return;
  const Runner& runner = runners_[chain];
  Status status = runner.process && runner.timed + runner.done > 0 ? runner.process->status() : Status{};
  status.chain = chain;
  status.done = runner.done;
  status.length = length_;
  if (finished(chain))
    status.phase = Status::Phase::finished;
  else if (runner.done == 0 && runner.timed == 0)
    status.phase = runner.process ? Status::Phase::starting : Status::Phase::waiting;
  status.seconds_left = runner.step_seconds * static_cast<double>(length_ - runner.done);
  const std::lock_guard guard(report_mutex_);
  options_.report(status);
}

}  // namespace mbnn
