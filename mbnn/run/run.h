// The one run loop: begins fits, runs or continues their processes on threads, and keeps what these produce.
#pragma once

#include <string>
#include <vector>

#include "mbnn/run/problem.h"

namespace mbnn {

// The draws of a run that has no file, by chain.
using DrawLists = std::vector<std::vector<Draw>>;

// A new fit file that holds all that a later run needs, and no draws yet. An existing file is refused unless it may be
// replaced.
FitFile create(const Problem& problem, const std::string& path, bool overwrite);

// Runs the processes of a fit from where they are to their ends, storing draws and checkpoints as they come. False if
// stopped early; running again continues to the same bits. An exception in one process stops all and is rethrown;
// what was stored stays.
bool run(FitFile& file, const Problem& problem, const RunOptions& options = {});

// The same without a file; false if stopped early.
bool run_in_memory(const Problem& problem, const RunOptions& options, DrawLists& draws);

// From a problem to a complete fit at `path`: prepare, create, run. A fit that was stopped can be run on.
FitFile fit(Problem& problem, const std::string& path, const RunOptions& options = {});

// Asks a fit for further draws of each chain, which the next run makes. InputError if it cannot go on from its
// checkpoints; the file is then as it was.
void add_draws(FitFile& file, Problem& problem, std::int64_t further);

bool finished(const FitFile& file, const Problem& problem);
// How many threads the last run of this chain had, where results depend on it; 0: unknown.
std::size_t threads_so_far(const FitFile& file, int chain = 0);

}  // namespace mbnn
