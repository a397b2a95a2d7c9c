// Runs chains on threads until they are done or told to stop, and hands out what they produce.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "mbnn/tables/chain.h"

namespace mbnn {

struct KeptDraw {
  std::int64_t iteration;
  State state;
  double log_posterior;
  double training_error;
  std::vector<double> block_traces = {};  // of the chain's block, if it has one
};

// Where a chain stands, for whoever watches.
struct ChainReport {
  std::size_t chain = 0;
  enum class Phase { waiting, starting, warming_up, sampling, finished, training } phase = Phase::waiting;
  std::int64_t iteration = 0, iterations = 0;
  std::vector<std::size_t> widths;
  double acceptance = 0;  // of the phase so far
  double training_error = 0;
  double seconds = 0;       // spent on this chain in this run
  double seconds_left = 0;  // estimated
};

// Called from worker threads, one call at a time.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  // Draws since the last call for this chain; the chain stands right behind the last of them or later.
  virtual void keep(std::size_t index, const Chain& chain, std::vector<KeptDraw> draws) = 0;
  virtual void report(const ChainReport&) {}
};

struct RunnerOptions {
  std::size_t threads = 2;
  std::chrono::milliseconds slice{700};  // a chain runs this long before the next one has its turn
};

// A chain's results do not depend on threads or slices: it shares nothing with the others but constants. Returns false
// if stopped early; what was done until then has been handed out. An exception in a chain stops all and is rethrown.
bool run_chains(std::vector<std::unique_ptr<Chain>>& chains, const ChainOptions& chain_options,
                const RunnerOptions& options, RunObserver& observer, std::stop_token stop);

}  // namespace mbnn
