#include "apps/mbnn/session.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/mbnn/progress.h"
#include "mbnn/core/clock.h"
#include "mbnn/core/error.h"
#include "mbnn/mbnn.h"
#include "mbnn/store/replace_file.h"

namespace mbnn::app {

namespace {

// What to do with a fit, as it is written.
std::string next_line(const std::string& fit, const Problem& problem) {
  if (problem.kind() == "image") return fmt::format("evaluate {} DIRECTORY", fit);
  if (problem.kind() != "series") return fmt::format("predict {} NEW.csv --out predictions.csv", fit);
  const auto* series = dynamic_cast<const SeriesProblem*>(&problem);
  const bool future = series && !series->series().future.times.empty();
  const bool alone = series && series->series().data.rows.inputs == 0;
  return fmt::format("series forecast {}{} --out predictions.csv", fit,
                     future  ? ""
                     : alone ? " --horizon 30"
                             : " NEW.csv");
}

void print_end(const FitFile& file, const Problem& problem, bool finished, double seconds, const Common& common) {
  const Summary summary = summarise(file, problem);
  if (common.json) {
    nlohmann::json json = to_json(summary);
    json["file"] = file.path();
    json["finished"] = finished;
    json["seconds"] = seconds;
    fmt::print("{}\n", json.dump(2));
    return;
  }
  if (common.quiet) return;
  const auto with_draws = std::ranges::count_if(summary.chains, [](const auto& chain) { return chain.draws > 0; });
  fmt::print("{} draw{} from {} chain{}\n{}in {}, stored in {}\n", summary.draws, summary.draws == 1 ? "" : "s",
             with_draws, with_draws == 1 ? "" : "s", lines_of(summary.description.learnt), clock_time(seconds),
             file.path());
  if (!finished) return;
  fmt::print("next:    mbnn diagnose {}\n         mbnn {}\n", file.path(), next_line(file.path(), problem));
}

}  // namespace

void say(const Common& common, const std::vector<std::string>& notes) {
  if (common.quiet) return;
  for (const auto& note : notes) fmt::print(stderr, "note: {}\n", note);
}

void refuse_swapped(const std::string& fit, const std::string& data) {
  if (is_database(data) && !is_database(fit))
    throw InputError(fmt::format("{} is a fit, and {} is none: the fit comes first", data, fit));
}

void check_out(const std::string& out, const std::string& input, bool force) {
  std::error_code none;
  if (std::filesystem::equivalent(out, input, none))
    throw InputError(fmt::format("--out {} is the table itself: choose another name", out));
  const std::string target = resolve_target(out);
  if (!force && std::filesystem::exists(target, none))
    throw InputError(fmt::format("{} exists: choose another --out, or --force to replace it", out));
}

std::unique_ptr<Problem> problem_of(const FitFile& file, const std::string& images) {
  return open_problem(file, images);
}

void require_draws(const FitFile& file, const Problem& problem, std::vector<std::string>& notes) {
  std::int64_t draws = 0;
  for (const ChainProgress& progress : file.progress()) draws += progress.draws;
  if (draws == 0)
    throw InputError(fmt::format("{0} has no draws yet: continue it with\n  mbnn resume {0}", file.path()));
  if (!finished(file, problem))
    notes.push_back(fmt::format("the fit is unfinished ({} of {} draws): mbnn resume {}", draws,
                                problem.draws() * static_cast<std::int64_t>(problem.chains()), file.path()));
}

std::string lines_of(const std::vector<Description::Line>& lines) {
  std::string text;
  for (const auto& [label, content] : lines) text += fmt::format("{:<8} {}\n", label, content);
  return text;
}

int begin_session(Problem& problem, const FitArguments& arguments, const std::string& opening, const Common& common) {
  RunOptions before{.threads = common.thread_count(), .stop = stop_on_signal()};
  if (!common.quiet) before.say = [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
  if (!problem.prepare(before)) throw Error("interrupted before the fit was begun; nothing was written");
  FitFile file = create(problem, arguments.out, arguments.force);
  if (!common.quiet) fmt::print(stderr, "{}\n", opening);
  return run_session(file, problem, {.checkpoint_seconds = arguments.checkpoint_seconds.value_or(-1)}, common);
}

int run_session(FitFile& file, const Problem& problem, const SessionOptions& session, const Common& common) try {
  const Stopwatch watch;
  RunOptions options{.threads = session.threads > 0 ? session.threads : common.thread_count(),
                     .stop = stop_on_signal(),
                     .checkpoint_seconds = session.checkpoint_seconds};
  const std::size_t at_once = problem.rhythm().side_by_side ? options.threads : 1;
  Progress progress(problem.chains(), at_once, problem.length(), common.quiet);
  options.report = [&](const Status& status) { progress.show(status); };
  const bool finished = run(file, problem, options);
  progress.finish();
  print_end(file, problem, finished, watch.seconds(), common);
  if (finished) return good;
  fmt::print(stderr, "interrupted; everything so far is saved. Continue with:\n  mbnn resume {}\n", file.path());
  return failed;
} catch (const SamplerError&) {
  throw;
} catch (const InputError&) {
  throw;
} catch (const Error& e) {  // a second try may not meet it again
  throw Error(
      fmt::format("{}\nWhat was stored until then is kept. Once the cause is gone, continue with:\n  mbnn "
                  "resume {}",
                  e.what(), file.path()));
}

}  // namespace mbnn::app
