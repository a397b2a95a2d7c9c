#include "mbnn/tables/runner.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

namespace mbnn {

namespace {

using Clock = std::chrono::steady_clock;

class Run {
 public:
  Run(std::vector<std::unique_ptr<Chain>>& chains, const ChainOptions& chain_options, const RunnerOptions& options,
      RunObserver& observer, std::stop_token stop)
      : chains_(chains), chain_options_(chain_options), options_(options), observer_(observer), stop_(stop) {
    seconds_.resize(chains.size());
    first_iteration_.resize(chains.size());
    for (std::size_t i = 0; i < chains.size(); ++i) {
      first_iteration_[i] = chains[i]->iteration();
      if (chains[i]->iteration() < chain_options.iterations()) queue_.push_back(i);
    }
  }

  bool go() {
    for (std::size_t i = 0; i < chains_.size(); ++i)
      if (chains_[i]->iteration() >= chain_options_.iterations()) report(i, ChainReport::Phase::finished);
    const std::size_t workers = std::min(options_.threads, queue_.size());
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 1; i < workers; ++i) threads.emplace_back([this] { work(); });
      work();
    }
    if (failure_) std::rethrow_exception(failure_);
    return std::all_of(chains_.begin(), chains_.end(),
                       [&](const auto& chain) { return chain->iteration() >= chain_options_.iterations(); });
  }

 private:
  void work() {
    for (;;) {
      std::size_t index;
      {
        std::lock_guard guard(mutex_);
        if (queue_.empty() || failure_ || stop_.stop_requested()) return;
        index = queue_.front();
        queue_.pop_front();
      }
      try {
        slice(index);
      } catch (...) {
        std::lock_guard guard(mutex_);
        if (!failure_) failure_ = std::current_exception();
        return;
      }
      std::lock_guard guard(mutex_);
      if (chains_[index]->iteration() < chain_options_.iterations()) queue_.push_back(index);
    }
  }

  void slice(std::size_t index) {
    Chain& chain = *chains_[index];
    const bool starts = chain.state().weights.empty();
    if (starts) {
      report(index, ChainReport::Phase::starting);
      chain.start();
    }
    const auto begin = Clock::now();  // the warm start says nothing of what an iteration takes
    std::vector<KeptDraw> draws;
    const std::int64_t first = chain.iteration();
    auto reported = begin;
    while (chain.iteration() < chain_options_.iterations() && !stop_.stop_requested()) {
      chain.iterate();
      if (chain.at_draw())
        draws.push_back({chain.iteration(), chain.state(), chain.log_posterior(), chain.training_error(),
                         chain.block() ? chain.block()->traces() : std::vector<double>()});
      const auto now = Clock::now();
      if (now - begin > options_.slice) break;
      if (now - reported > std::chrono::milliseconds(200)) {
        reported = now;
        report(index, phase(chain), std::chrono::duration<double>(now - begin).count());
      }
    }
    seconds_[index] += std::chrono::duration<double>(Clock::now() - begin).count();
    if (starts || chain.iteration() > first) {  // else the stop came between the two looks at it: nothing is new
      std::lock_guard guard(observer_mutex_);
      observer_.keep(index, chain, std::move(draws));
    }
    report(index, phase(chain));
  }

  ChainReport::Phase phase(const Chain& chain) const {
    if (chain.iteration() >= chain_options_.iterations()) return ChainReport::Phase::finished;
    return chain.warming_up() ? ChainReport::Phase::warming_up : ChainReport::Phase::sampling;
  }

  void report(std::size_t index, ChainReport::Phase phase, double running = 0) {
    const Chain& chain = *chains_[index];
    ChainReport r;
    r.chain = index;
    r.phase = phase;
    r.iteration = chain.iteration();
    r.iterations = chain_options_.iterations();
    for (const auto& layer : chain.state().gates.active) r.widths.push_back(layer.size());
    const bool sampled = chain.sampling_statistics().iterations > 0;
    r.acceptance = (sampled ? chain.sampling_statistics() : chain.warmup_statistics()).acceptance();
    r.training_error = chain.training_error();
    r.seconds = seconds_[index] + running;
    const auto done = static_cast<double>(r.iteration - first_iteration_[index]);
    if (done > 0) r.seconds_left = r.seconds / done * static_cast<double>(r.iterations - r.iteration);
    std::lock_guard guard(observer_mutex_);
    observer_.report(r);
  }

  std::vector<std::unique_ptr<Chain>>& chains_;
  const ChainOptions& chain_options_;
  const RunnerOptions options_;
  RunObserver& observer_;
  std::stop_token stop_;
  std::mutex mutex_, observer_mutex_;
  std::deque<std::size_t> queue_;
  std::vector<double> seconds_;  // each written by the worker that holds the chain
  std::vector<std::int64_t> first_iteration_;
  std::exception_ptr failure_;
};

}  // namespace

bool run_chains(std::vector<std::unique_ptr<Chain>>& chains, const ChainOptions& chain_options,
                const RunnerOptions& options, RunObserver& observer, std::stop_token stop) {
  return Run(chains, chain_options, options, observer, stop).go();
}

}  // namespace mbnn
