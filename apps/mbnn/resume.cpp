// mbnn resume: an interrupted fit goes on, a finished one gets more draws, whatever its kind.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>

#include "apps/mbnn/session.h"
#include "mbnn/core/error.h"

namespace mbnn::app {

namespace {

struct ResumeArguments {
  std::string fit, data;
  std::int64_t draws = 0;
  double checkpoint_seconds = -1;
};

int resume(const ResumeArguments& arguments, const Common& common) {
  FitFile file = FitFile::open(arguments.fit, FitFile::Mode::append);
  const auto problem = problem_of(file, arguments.data);
  if (problem->kind() != "image" && !arguments.data.empty())
    throw InputError(fmt::format("--data: {} holds its training rows; only a fit of images needs them", file.path()));
  SessionOptions session{.checkpoint_seconds = arguments.checkpoint_seconds};
  // Sums over batches depend on how many threads share them.
  if (const std::size_t earlier = threads_so_far(file); earlier > 0) {
    session.threads = common.threads > 0 ? common.threads : earlier;
    if (session.threads != earlier && !common.quiet)
      fmt::print(stderr, "{} so far ran with --threads {}; with {} it goes on, but not to the same bits\n",
                 arguments.fit, earlier, session.threads);
  }
  if (arguments.draws > 0) {
    add_draws(file, *problem, arguments.draws);
  } else if (finished(file, *problem) && !common.quiet) {
    fmt::print(stderr, "note: {} is complete; --draws N adds N draws to each chain\n", file.path());
  }
  stop_on_signal();
  return run_session(file, *problem, session, common);
}

}  // namespace

void add_resume(CLI::App& app, Common& common, Action& action) {
  auto* verb = app.add_subcommand("resume", "continue an interrupted fit, or add draws to a finished one");
  auto arguments = std::make_shared<ResumeArguments>();
  verb->add_option("FIT", arguments->fit, "the fit file")->required();
  verb->add_option("--draws", arguments->draws, "further draws of each chain, beyond those that were asked for")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
  verb->add_option("--data", arguments->data, "images: where the training images are now [where they were]");
  verb->add_option("--checkpoint-seconds", arguments->checkpoint_seconds,
                   "from checkpoint to checkpoint [as its kind has it]")
      ->check(CLI::NonNegativeNumber);
  add_common_options(*verb, common);
  verb->callback([=, &common, &action] { action = [=, &common] { return resume(*arguments, common); }; });
}

}  // namespace mbnn::app
