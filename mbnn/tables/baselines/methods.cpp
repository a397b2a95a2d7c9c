#include "mbnn/tables/baselines/methods.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>

#include "mbnn/core/error.h"
#include "mbnn/net/dense/mlp.h"
#include "mbnn/tables/baselines/logistic.h"
#include "mbnn/tables/baselines/ns_vi.h"
#include "mbnn/tables/state_bytes.h"

namespace mbnn {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// RMSE in scaled units or mean -log p of one network on the training rows.
double training_error(const Model& model, const Batch& all, const State& state) {
  Mlp mlp;
  mlp.set(state.shape(model), state.weights.data(), false);
  double statistic = 0;
  for (std::size_t t = 0; t < all.x.count(); ++t)
    statistic += model.likelihood.tile(all, t, mlp.forward(all.x.tile(t), all.x.padded_rows(t)),
                                       model.architecture.outputs, state.noise_variance, 1, nullptr);
  const double mean = statistic / static_cast<double>(all.rows());
  return model.likelihood.has_noise() ? std::sqrt(mean) : -mean;
}

StoredDraw stored(const Model& model, const Batch& all, const State& state, int chain, std::int64_t iteration) {
  std::vector<double> traces{training_error(model, all, state)};  // in the order of trace_names
  if (model.likelihood.has_noise()) traces.push_back(std::sqrt(state.noise_variance));
  for (const auto& layer : state.gates.active) traces.push_back(static_cast<double>(layer.size()));
  ByteWriter out;
  write_state(state, out);
  return {chain, iteration, out.take(), std::move(traces)};
}

// What the runs of a fit share.
struct Fit {
  FitFile& file;
  const Configuration& configuration;
  const Model& model;
  const TrainingData& data;
  const RunOptions& options;
  std::mutex report_mutex;

  void report(const ChainReport& r) {
    if (!options.report) return;
    std::lock_guard guard(report_mutex);
    options.report(r);
  }
};

constexpr double kCheckpointSeconds = 5;  // a checkpoint is three times the size of the network's parameters

class VariationalWork {
 public:
  VariationalWork(Fit& fit, std::size_t index)
      : fit_(fit),
        index_(index),
        run_(fit.model, fit.data.rows, fit.configuration.variational, fit.configuration.seed, index) {}

  // False if stopped early.
  bool go() {
    const std::int64_t epochs = fit_.configuration.variational.epochs, wanted = fit_.configuration.iterations();
    std::int64_t iteration = 0;
    for (const auto& progress : fit_.file.progress())
      if (progress.chain == static_cast<int>(index_)) iteration = progress.iteration;
    if (const auto checkpoint = fit_.file.checkpoint(static_cast<int>(index_))) run_.restore(*checkpoint);
    if (iteration >= wanted) {
      report(ChainReport::Phase::finished, wanted);
      return true;
    }
    train(epochs);
    if (run_.epoch() < epochs) return false;
    std::vector<StoredDraw> draws;
    for (iteration = std::max(iteration, epochs); iteration < wanted;) {
      const State state = run_.draw();
      draws.push_back(stored(fit_.model, *fit_.data.all, state, static_cast<int>(index_), ++iteration));
    }
    commit(iteration, draws);
    report(ChainReport::Phase::finished, wanted);
    return true;
  }

 private:
  void train(std::int64_t epochs) {
    start_ = Clock::now();
    first_epoch_ = run_.epoch();
    auto stored_at = start_, reported_at = start_;
    while (run_.epoch() < epochs && !fit_.options.stop.stop_requested()) {
      run_.run_epoch();
      if (seconds_since(reported_at) > 0.2) {
        reported_at = Clock::now();
        report(ChainReport::Phase::training, run_.epoch());
      }
      if (seconds_since(stored_at) > kCheckpointSeconds && run_.epoch() < epochs) {
        commit(run_.epoch(), {});
        stored_at = Clock::now();
      }
    }
    if (run_.epoch() < epochs && run_.epoch() > first_epoch_) commit(run_.epoch(), {});
  }

  void commit(std::int64_t iteration, const std::vector<StoredDraw>& draws) {
    const nlohmann::json statistics{
        {"epochs", run_.epoch()},        {"gradients", run_.steps()},           {"elbo", run_.elbo()},
        {"late_elbo", run_.late_elbo()}, {"earlier_elbo", run_.earlier_elbo()}, {"seconds", seconds_since(start_)}};
    fit_.file.commit(static_cast<int>(index_), iteration, draws, statistics, run_.checkpoint());
  }

  void report(ChainReport::Phase phase, std::int64_t iteration) {
    ChainReport r;
    r.chain = index_;
    r.phase = phase;
    r.iteration = iteration;
    r.iterations = fit_.configuration.iterations();
    const auto kept = run_.kept();
    for (std::size_t l = 1; l < kept.size(); ++l) r.widths.push_back(kept[l].size());
    r.training_error = run_.training_error();
    r.seconds = seconds_since(start_);
    const auto done = static_cast<double>(run_.epoch() - first_epoch_);
    const auto left = static_cast<double>(fit_.configuration.variational.epochs - run_.epoch());
    if (done > 0) r.seconds_left = r.seconds / done * left;
    fit_.report(r);
  }

  Fit& fit_;
  std::size_t index_;
  VariationalRun run_;
  Clock::time_point start_ = Clock::now();
  std::int64_t first_epoch_ = 0;
};

// Runs share nothing but constants, so results do not depend on the threads.
bool run_variational(Fit& fit) {
  std::atomic<std::size_t> next = 0, finished = 0;
  std::atomic<bool> failed = false;
  std::mutex mutex;
  std::exception_ptr failure;
  auto work = [&] {
    for (std::size_t i; !failed && (i = next++) < fit.configuration.chains;) try {
        finished += VariationalWork(fit, i).go();
      } catch (...) {
        std::lock_guard guard(mutex);
        if (!failure) failure = std::current_exception();
        failed = true;
      }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < std::min(fit.options.threads, fit.configuration.chains); ++i)
      threads.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
  return finished == fit.configuration.chains;
}

bool run_logistic(Fit& fit) {
  if (!fit.file.progress().empty()) return true;
  const auto start = Clock::now();
  const double prior_sd = fit.configuration.weight_prior.scale;
  const LogisticFit result = fit_logistic(fit.data.rows, fit.model.architecture.outputs, {.prior_sd = prior_sd},
                                          [&](const LogisticFit&) { return !fit.options.stop.stop_requested(); });
  if (fit.options.stop.stop_requested() && !result.converged) return false;
  State state;
  state.weights.assign(result.weights.begin(), result.weights.end());
  state.weight_scale = prior_sd;
  state.lambda = 0;
  const nlohmann::json statistics{{"iterations", result.iterations},       {"gradients", result.iterations + 1},
                                  {"log_posterior", result.log_posterior}, {"gradient_norm", result.gradient_norm},
                                  {"converged", result.converged},         {"seconds", seconds_since(start)}};
  fit.file.commit(0, 1, std::vector{stored(fit.model, *fit.data.all, state, 0, 1)}, statistics, {});
  return true;
}

}  // namespace

void check_checkpoints(const FitFile& file) {
  const Method method = configuration_from_json(file.configuration()).method;
  for (const ChainProgress& progress : file.progress()) {
    const auto checkpoint = file.checkpoint(progress.chain);
    if (!checkpoint || method == Method::logistic) continue;
    if (method == Method::mcmc)
      Chain::check_version(*checkpoint);
    else
      VariationalRun::check_version(*checkpoint);
  }
}

void check_method(Method method, Task task) {
  if (method == Method::logistic && task == Task::regression)
    throw InputError(
        "--method logistic: the target is a number; logistic regression needs classes "
        "(--task classification takes the numbers as labels)");
}

bool run_method(FitFile& file, TrainingData data, const RunOptions& options) {
  const Configuration configuration = configuration_from_json(file.configuration());
  if (configuration.method == Method::mcmc) return run_fit(file, std::move(data), options);
  const Encoding encoding = Encoding::from_json(file.encoding());
  check_method(configuration.method, encoding.task());
  const Model model = make_model(configuration, encoding, data.rows.rows);
  if (!data.all) data.all = Batch::all(data.rows);
  Fit fit{file, configuration, model, data, options, {}};
  return configuration.method == Method::ns_vi ? run_variational(fit) : run_logistic(fit);
}

}  // namespace mbnn
