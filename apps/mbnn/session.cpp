#include "apps/mbnn/session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "apps/mbnn/progress.h"
#include "apps/mbnn/series.h"
#include "mbnn/core/error.h"
#include "mbnn/series/series_fit.h"
#include "mbnn/tables/baselines/methods.h"

namespace mbnn::app {

namespace {

std::stop_source& signal_source() {
  static std::stop_source source;
  return source;
}

struct Sizes {
  std::vector<double> widths;
  double weights = 0, noise_sd = 0;
};

Sizes mean_sizes(const FittedModel& fitted) {
  Sizes sizes;
  sizes.widths.resize(fitted.model.architecture.caps.size());
  for (const auto& chain : fitted.draws)
    for (const State& state : chain) {
      for (std::size_t l = 0; l < sizes.widths.size(); ++l)
        sizes.widths[l] += static_cast<double>(state.gates.active[l].size());
      sizes.weights += static_cast<double>(state.weights.size());
      sizes.noise_sd += std::sqrt(state.noise_variance) * fitted.encoding.target_sd();
    }
  // Divided last: a width that never changed is a whole number.
  const double count = static_cast<double>(fitted.draw_count());
  for (double& width : sizes.widths) width /= count;
  sizes.weights /= count;
  sizes.noise_sd /= count;
  return sizes;
}

}  // namespace

// A thread waits for the signals, which every other thread blocks: no work is done inside a handler.
std::stop_token stop_on_signal() {
  static const bool installed = [] {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    std::thread([set] {
      int signal = 0;
      sigwait(&set, &signal);
      signal_source().request_stop();
      sigwait(&set, &signal);
      _exit(128 + signal);
    }).detach();
    return true;
  }();
  (void)installed;
  return signal_source().get_token();
}

FittedModel read_with_draws(const FitFile& file) {
  FittedModel fitted = FittedModel::read(file);
  if (fitted.draw_count() == 0)
    throw InputError(fmt::format("{0} has no draws yet: continue it with\n  mbnn resume {0}", file.path()));
  return fitted;
}

std::string describe(const FittedModel& fitted) {
  const Sizes sizes = mean_sizes(fitted);
  Shape full{{fitted.model.architecture.inputs}};
  full.widths.insert(full.widths.end(), fitted.model.architecture.caps.begin(), fitted.model.architecture.caps.end());
  full.widths.push_back(fitted.model.architecture.outputs);
  const auto chains = std::count_if(fitted.draws.begin(), fitted.draws.end(), [](const auto& d) { return !d.empty(); });
  std::string text = fmt::format("{} draws from {} chain{}\n", fitted.draw_count(), chains, chains == 1 ? "" : "s");
  if (fitted.draw_count() == 0) return text;
  if (!sizes.widths.empty())
    text += fmt::format("widths   ({:.1f}) of at most ({}) nodes\n", fmt::join(sizes.widths, ", "),
                        fmt::join(fitted.model.architecture.caps, ", "));
  if (!sizes.widths.empty())
    text += fmt::format("weights  {:.0f}, {:.3g}% of the full network's {}\n", sizes.weights,
                        100 * sizes.weights / static_cast<double>(full.size()), full.size());
  if (fitted.model.likelihood.has_noise())
    text += fmt::format("noise    {:.4g} (standard deviation)\n", sizes.noise_sd);
  return text;
}

nlohmann::json description_json(const FittedModel& fitted) {
  const Sizes sizes = mean_sizes(fitted);
  nlohmann::json json{{"draws", fitted.draw_count()}, {"chains", fitted.draws.size()}};
  if (fitted.draw_count() == 0) return json;
  json["widths"] = sizes.widths;
  json["caps"] = fitted.model.architecture.caps;
  json["weights"] = sizes.weights;
  if (fitted.model.likelihood.has_noise()) json["noise_sd"] = sizes.noise_sd;
  return json;
}

int run_session(FitFile& file, TrainingData data, const Common& common) {
  return run_session(file, common,
                     [&](const RunOptions& options) { return run_method(file, std::move(data), options); });
}

int run_session(FitFile& file, const Common& common, const std::function<bool(const RunOptions&)>& run) {
  const auto begin = std::chrono::steady_clock::now();
  const Configuration configuration = configuration_from_json(file.configuration());
  const Encoding encoding = Encoding::from_json(file.encoding());
  const bool regression = encoding.task() == Task::regression;
  Progress progress(configuration.chains, common.thread_count(), regression ? encoding.target_sd() : 1,
                    regression ? "training rmse" : "training nll", common.quiet);
  RunOptions options{common.thread_count(), [&](const ChainReport& r) { progress.show(r); }, stop_on_signal()};
  const bool finished = run_resumable(file, "mbnn resume", [&] { return run(options); });
  progress.finish();
  const FittedModel fitted = FittedModel::read(file);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (common.json) {
    nlohmann::json json = description_json(fitted);
    json["file"] = file.path();
    json["finished"] = finished;
    json["seconds"] = seconds;
    fmt::print("{}\n", json.dump(2));
  } else if (!common.quiet) {
    fmt::print("{}{}in {}, stored in {}\n", describe(fitted), is_series(file) ? describe_series(file, fitted) : "",
               clock_time(seconds), file.path());
    if (finished)
      fmt::print("next:    mbnn diagnose {0}\n         mbnn {1} {0} NEW.csv --out predictions.csv\n", file.path(),
                 is_series(file) ? "series forecast" : "predict");
  }
  return end_of_run(finished, file, "mbnn resume");
}

bool run_resumable(const FitFile& file, const char* resume, const std::function<bool()>& run) try {
  return run();
} catch (const SamplerError&) {
  throw;
} catch (const InputError&) {
  throw;
} catch (const Error& e) {
  throw Error(fmt::format("{}\nWhat was stored until then is kept. Once the cause is gone, continue with:\n  {} {}",
                          e.what(), resume, file.path()));
}

int end_of_run(bool finished, const FitFile& file, const char* resume) {
  if (finished) return good;
  fmt::print(stderr, "interrupted; everything so far is saved. Continue with:\n  {} {}\n", resume, file.path());
  return failed;
}

}  // namespace mbnn::app
