#include "mbnn/tables/baselines/processes.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "mbnn/core/clock.h"
#include "mbnn/net/dense/mlp.h"
#include "mbnn/tables/baselines/logistic.h"
#include "mbnn/tables/state_bytes.h"

namespace mbnn {

namespace {

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

// With its numbers in the order of baseline_trace_names().
Draw draw_of(const Model& model, const Batch& all, const State& state) {
  std::vector<double> traces{training_error(model, all, state)};
  if (model.likelihood.has_noise()) traces.push_back(std::sqrt(state.noise_variance));
  for (const auto& layer : state.gates.active) traces.push_back(static_cast<double>(layer.size()));
  ByteWriter out;
  write_state(state, out);
  return {out.take(), std::move(traces)};
}

void count_runs(Diagnosis& d) {
  for (std::size_t c = 0; c < d.statistics.size(); ++c) {
    if (d.statistics[c].is_null()) continue;
    std::string line = fmt::format("run {:<2}", c + 1);
    for (const auto& [name, value] : d.statistics[c].items())
      line += fmt::format("  {} {}", name,
                          value.is_number_float() ? fmt::format("{:.4g}", value.get<double>()) : value.dump());
    d.moves.push_back(line);
  }
}

}  // namespace

std::vector<std::string> baseline_trace_names(const Model& model) {
  std::vector<std::string> names{"training_error"};
  if (model.likelihood.has_noise()) names.emplace_back("noise_sd");
  for (std::size_t l = 1; l <= model.architecture.caps.size(); ++l) names.push_back(fmt::format("width_{}", l));
  return names;
}

VariationalProcess::VariationalProcess(const Configuration& configuration, const Model& model, const TrainingData& data,
                                       std::size_t index, double error_unit)
    : configuration_(configuration),
      model_(model),
      data_(data),
      error_unit_(error_unit),
      run_(model, data.rows, configuration.variational, configuration.seed, index) {}

void VariationalProcess::advance() {
  const Stopwatch watch;
  if (run_.epoch() < configuration_.variational.epochs)
    run_.run_epoch();
  else
    ++drawn_;
  seconds_ += watch.seconds();
}

std::optional<Draw> VariationalProcess::draw() {
  if (drawn_ == 0) return {};
  return draw_of(model_, *data_.all, run_.draw());
}

Status VariationalProcess::status() const {
  Status status;
  status.phase = drawn_ == 0 ? Status::Phase::training : Status::Phase::sampling;
  const auto kept = run_.kept();
  for (std::size_t l = 1; l < kept.size(); ++l) status.widths.push_back(kept[l].size());
  status.figures.push_back(
      {model_.likelihood.has_noise() ? "training rmse" : "training nll", error_unit_ * run_.training_error()});
  return status;
}

nlohmann::json VariationalProcess::statistics() const {
  return {{"epochs", run_.epoch()},        {"gradients", run_.steps()},           {"elbo", run_.elbo()},
          {"late_elbo", run_.late_elbo()}, {"earlier_elbo", run_.earlier_elbo()}, {"seconds", seconds_}};
}

void VariationalProcess::restore(std::int64_t done, std::span<const std::byte> checkpoint) {
  run_.restore(checkpoint);
  drawn_ = done - run_.epoch();
  require_content(drawn_ >= 0 && drawn_ <= configuration_.chain.draws &&
                      (drawn_ == 0 || run_.epoch() == configuration_.variational.epochs),
                  "a checkpoint has draws before its training ended, or too many");
}

LogisticProcess::LogisticProcess(const Configuration& configuration, const Model& model, const TrainingData& data,
                                 std::stop_token stop)
    : configuration_(configuration), model_(model), data_(data), stop_(std::move(stop)) {}

void LogisticProcess::advance() {
  const Stopwatch watch;
  const double prior_sd = configuration_.weight_prior.scale;
  const LogisticFit result = fit_logistic(data_.rows, model_.architecture.outputs, {.prior_sd = prior_sd},
                                          [&](const LogisticFit&) { return !stop_.stop_requested(); });
  if (stop_.stop_requested() && !result.converged) return;
  state_.weights.assign(result.weights.begin(), result.weights.end());
  state_.weight_scale = prior_sd;
  state_.lambda = 0;
  statistics_ = {{"iterations", result.iterations},       {"gradients", result.iterations + 1},
                 {"log_posterior", result.log_posterior}, {"gradient_norm", result.gradient_norm},
                 {"converged", result.converged},         {"seconds", watch.seconds()}};
  done_ = 1;
}

std::optional<Draw> LogisticProcess::draw() {
  if (done_ == 0) return {};
  return draw_of(model_, *data_.all, state_);
}

Status LogisticProcess::status() const {
  Status status;
  status.phase = Status::Phase::training;
  return status;
}

// Draws of a variational fit are independent samples of the approximation by construction: what can be asked is whether
// its training has ended and whether other starts end elsewhere.
void judge_variational(const Configuration& configuration, Diagnosis& d) {
  using L = Finding::Level;
  d.add(L::warning, "a variational fit (ns-vi): R-hat and effective draws have no meaning for it",
        "its draws are samples of an approximation; they cannot show how far it is from the posterior, and its "
        "intervals are often too narrow",
        "an evaluation on rows that were held out, or method mcmc");
  for (std::size_t c = 0; c < d.statistics.size(); ++c) {
    if (d.statistics[c].is_null()) continue;
    const double rise =
        d.statistics[c].at("late_elbo").get<double>() - d.statistics[c].at("earlier_elbo").get<double>();
    if (configuration.variational.epochs >= 20 && rise > 5)
      d.add(L::warning, fmt::format("the bound of run {} rose by {:.0f} in the last tenth of its epochs", c + 1, rise),
            "training had not ended", "more epochs");
  }
  if (d.disagreement > 0.35)
    d.add(d.disagreement > 0.6 ? L::serious : L::warning,
          fmt::format("the runs' mean predictions differ by {:.2f} predictive standard deviations", d.disagreement),
          "other starts end in other optima; their pool is wider than any of them", "more chains, or method mcmc");
  count_runs(d);
}

void judge_logistic(Diagnosis& d) {
  using L = Finding::Level;
  d.add(L::note, "logistic regression: one draw, the posterior's mode",
        "probabilities hold the uncertainty of the label, and nothing of that of the weights",
        "method mcmc for a posterior");
  const auto& statistics = d.statistics.at(0);
  if (!statistics.is_null() && !statistics.at("converged").get<bool>())
    d.add(L::serious,
          fmt::format("Newton's method did not converge: the gradient is still {:.2g} a row",
                      statistics.at("gradient_norm").get<double>()),
          "the weights are not the mode", "a smaller scale of the weight-prior");
  count_runs(d);
}

}  // namespace mbnn
