// mbnn resume: an interrupted fit goes on, a finished one gets more draws, whatever its kind.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "apps/common/details.h"
#include "apps/mbnn/session.h"
#include "mbnn/core/error.h"
#include "mbnn/run/inspect.h"
#include "mbnn/sample/shared_options.h"

namespace mbnn::app {

namespace {

struct ResumeArguments {
  std::string fit, data;
  std::optional<std::int64_t> draws;
  std::optional<double> checkpoint_seconds;
};

OptionList options_of(ResumeArguments& a) {
  OptionList options;
  options.group("Options");
  declare_fit(options, a.fit);
  options.add("draws", value_of(a.draws, "none"), "further draws of each chain, beyond those that were asked for")
      .within(1, 1e12)
      .basic()
      .known_as(draws_words());
  OptionValue images = value_of(a.data);
  images.show = [&a] { return a.data.empty() ? "where they were" : a.data; };
  options.add("data", images, "images: the directory of the training images now").kind("DIRECTORY").basic();
  declare_checkpoints(options, a.checkpoint_seconds);
  return options;
}

int resume(const ResumeArguments& arguments, const Common& common) {
  FitFile file = FitFile::open(arguments.fit, FitFile::Mode::append);
  const auto problem = problem_of(file, arguments.data);
  if (problem->kind() != "image" && !arguments.data.empty())
    throw InputError(fmt::format("--data: {} holds its training rows; only a fit of images needs them", file.path()));
  summarise(file, *problem);  // draws that could not be used are refused before further ones are made
  SessionOptions session{.checkpoint_seconds = arguments.checkpoint_seconds.value_or(-1)};
  // Sums over batches depend on how many threads share them.
  if (const std::size_t earlier = threads_so_far(file); earlier > 0) {
    session.threads = common.threads.value_or(earlier);
    if (session.threads != earlier && !common.quiet)
      fmt::print(stderr, "{} so far ran with --threads {}; with {} it goes on, but not to the same bits\n",
                 arguments.fit, earlier, session.threads);
  }
  if (arguments.draws) {
    add_draws(file, *problem, *arguments.draws);
  } else if (finished(file, *problem) && !common.quiet) {
    fmt::print(stderr, "note: {} is complete; --draws N adds N draws to each chain\n", file.path());
  }
  stop_on_signal();
  return run_session(file, *problem, session, common);
}

}  // namespace

void add_resume(CLI::App& app, Common& common, Action& action) {
  CLI::App& verb = add_verb<ResumeArguments>(
      app, "resume", "continue an interrupted fit, or add draws to a finished one", common, action,
      [](ResumeArguments& a) { return options_of(a); }, resume);
  details_of(verb).known_as = {"continue", "restart", "extend"};
  verb.footer("Example:\n  mbnn resume houses.mbnn --draws 200");
}

}  // namespace mbnn::app
