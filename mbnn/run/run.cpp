#include "mbnn/run/run.h"

#include <algorithm>

#include "mbnn/core/error.h"
#include "mbnn/run/loop.h"
#include "mbnn/store/content.h"

namespace mbnn {

namespace {

nlohmann::json stored_configuration(const Problem& problem) {
  nlohmann::json json = problem.configuration();
  json["kind"] = problem.kind();
  json["traces"] = problem.traces();
  return json;
}

ChainProgress progress_of(const FitFile& file, std::size_t chain) {
  for (const ChainProgress& progress : file.progress())
    if (progress.chain == static_cast<int>(chain)) return progress;
  return {.chain = static_cast<int>(chain)};
}

}  // namespace

FileKeeper::FileKeeper(FitFile& file) : file_(file) {}

std::int64_t FileKeeper::done(std::size_t chain) const { return progress_of(file_, chain).iteration; }

// What a chain goes on from must be where its progress says, or its next draws would not be those that are due.
bool FileKeeper::restore(std::size_t chain, Process& process) const {
  const auto checkpoint = file_.checkpoint(static_cast<int>(chain));
  const std::int64_t stored = done(chain);
  return read_content(file_.path(), [&] {
    require_content(checkpoint || stored <= 0, "a chain that has begun has no checkpoint to go on from");
    if (!checkpoint) return false;
    process.restore(stored, *checkpoint);
    require_content(process.done() == stored, "a checkpoint is of another iteration than its chain's progress");
    return true;
  });
}

FitFile create(const Problem& problem, const std::string& path, bool overwrite) {
  return FitFile::create(path, stored_configuration(problem), problem.encoding(), overwrite, [&](FitFile& file) {
    for (const auto& note : problem.notes()) file.note(note);
    problem.store(file);
  });
}

bool run(FitFile& file, const Problem& problem, const RunOptions& options) {
  FileKeeper keeper(file);
  return RunLoop(problem, keeper, options).go();
}

bool run_in_memory(const Problem& problem, const RunOptions& options, DrawLists& draws) {
  draws.assign(problem.chains(), {});
  MemoryKeeper keeper(draws);
  return RunLoop(problem, keeper, options).go();
}

FitFile fit(Problem& problem, const std::string& path, const RunOptions& options) {
  if (!problem.prepare(options)) throw Error(fmt::format("stopped before {} was begun; nothing was written", path));
  FitFile file = create(problem, path, options.overwrite);
  run(file, problem, options);
  return file;
}

// Checkpoints are tried before the longer plan is stored: it could not be taken back.
void add_draws(FitFile& file, Problem& problem, std::int64_t further) {
  require(further >= 1, "draws", further, "must be at least 1");
  problem.add_draws(further);
  const FileKeeper keeper(file);
  for (const ChainProgress& progress : file.progress()) {
    const auto chain = static_cast<std::size_t>(progress.chain);
    keeper.restore(chain, *problem.process(chain, {}));
  }
  file.set_configuration(stored_configuration(problem));
}

bool finished(const FitFile& file, const Problem& problem) {
  const auto progress = file.progress();
  return progress.size() == problem.chains() &&
         std::ranges::all_of(progress, [&](const ChainProgress& p) { return p.iteration >= problem.length(); });
}

std::size_t threads_so_far(const FitFile& file, int chain) {
  const auto statistics = file.statistics(chain);
  if (!statistics || !statistics->values.contains("threads")) return 0;  // none yet, or an older version's
  const auto& threads = statistics->values["threads"];
  return threads.is_number_unsigned() && threads <= 1024 ? threads.get<std::size_t>() : 0;
}

}  // namespace mbnn
