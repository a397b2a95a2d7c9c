#include "mbnn/tables/report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "mbnn/core/error.h"
#include "mbnn/tables/predictive.h"

namespace mbnn {

namespace {

constexpr std::size_t kReferenceRows = 40;

double quantile(std::vector<double> values, double p) {
  std::erase_if(values, [](double v) { return std::isnan(v); });
  if (values.empty()) return NAN;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(p * static_cast<double>(values.size() - 1) + 0.5)];
}

// chains[c][i]: values of draw i; unequal lengths after an interruption are fine.
using Chains = std::vector<std::vector<double>>;

// How far apart the chains' means are, beside the spread that a prediction has anyway.
double disagreement(const Chains& chains, double noise_variance) {
  std::vector<double> means;
  double within = 0;
  for (const auto& chain : chains) {
    const double n = static_cast<double>(chain.size());
    const double mean = std::accumulate(chain.begin(), chain.end(), 0.0) / n;
    for (double v : chain) within += (v - mean) * (v - mean) / n;
    means.push_back(mean);
  }
  const double k = static_cast<double>(chains.size());
  if (k < 2) return NAN;
  const double centre = std::accumulate(means.begin(), means.end(), 0.0) / k;
  double between = 0;
  for (double m : means) between += (m - centre) * (m - centre) / (k - 1);
  return std::sqrt(between / (within / k + between + noise_variance));
}

class Findings {
 public:
  explicit Findings(std::vector<Finding>& list) : list_(list) {}
  void add(Finding::Level level, std::string what, std::string meaning, std::string advice) {
    list_.push_back({level, std::move(what), std::move(meaning), std::move(advice)});
  }

 private:
  std::vector<Finding>& list_;
};

void judge_kernels(const FittedModel& fitted, const Diagnosis& d, Findings findings) {
  using L = Finding::Level;
  double trajectories = 0, divergences = 0, moves = 0, accepted = 0;
  for (std::size_t c = 0; c < d.statistics.size(); ++c) {
    if (d.statistics[c].is_null()) continue;  // a chain that has stored nothing yet
    const auto& weights = d.statistics[c].at("sampling").at("weights");
    const double tried = weights.at("trajectories");
    // A mini-batch sampler has iterations that were undone in place of trajectories that diverged.
    trajectories += std::max(tried, d.statistics[c].at("sampling").at("iterations").get<double>());
    divergences += weights.at("divergences").get<double>();
    const double acceptance = weights.at("acceptance");
    if (tried > 0 && acceptance < 0.4)
      findings.add(acceptance < 0.15 ? L::serious : L::warning,
                   fmt::format("chain {} accepts {:.0f}% of its weight moves", c + 1, 100 * acceptance),
                   "it hardly moves, so its draws repeat each other", "a higher target-accept, or another seed");
    for (const char* kind : {"births", "deaths"})
      for (const auto& move : d.statistics[c].at("sampling").at("masks").at(kind)) {
        moves += move.at("tried").get<double>();
        accepted += move.at("accepted").get<double>();
      }
    for (const char* kind : {"refit_births", "refit_deaths"}) {
      const auto& masks = d.statistics[c].at("sampling").at("masks");
      if (!masks.contains(kind)) continue;  // a fit from before there were such moves
      const auto& move = masks.at(kind);
      moves += move.at("tried").get<double>();
      accepted += move.at("accepted").get<double>();
    }
  }
  if (trajectories > 0 && divergences > 0.01 * trajectories)
    findings.add(divergences > 0.1 * trajectories ? L::serious : L::warning,
                 fmt::format("{:.1f}% of the trajectories diverged", 100 * divergences / trajectories),
                 "the sampler cannot follow the posterior somewhere and may miss a part of it",
                 fitted.configuration.chain.stochastic()
                     ? "a smaller step-length"
                     : "target-accept 0.95, or a smaller scale of the weight-prior");
  if (fitted.model.masks && moves > 0 && accepted < 1e-3 * moves)
    findings.add(L::warning, fmt::format("{:.2f}% of the births and deaths were accepted", 100 * accepted / moves),
                 "widths stay near where they started", "more refit-moves and mask-moves, or max-flips 1");
  if (fitted.configuration.chain.stochastic())
    findings.add(L::note, "mini-batch sampler without a correction",
                 "its draws are approximate: interval widths depend on the step size",
                 "sampler hmc if the table is small enough");
  if (fitted.draw_count() < fitted.draws_wanted())
    findings.add(L::warning,
                 fmt::format("the fit is unfinished: {} of {} draws", fitted.draw_count(), fitted.draws_wanted()),
                 "the figures are those of the draws so far", "let it run to its end");
}

// The verdict rests on what a user acts on: predictions and their spread. Chains in different modes that predict alike
// are no harm; their R-hat is reported, and judged by how much the predictions differ. docs/diagnose.md has the limits.
void judge_convergence(const FittedModel& fitted, const Diagnosis& d, Findings findings) {
  using L = Finding::Level;
  const std::string more_draws = "more draws, which can be added to the fit";
  std::vector<double> rhat, ess;
  for (const auto& p : d.predictions) {
    rhat.push_back(p.value.rhat);
    ess.push_back(p.value.ess_bulk);
  }
  const auto chains = std::count_if(fitted.draws.begin(), fitted.draws.end(), [](const auto& c) { return !c.empty(); });
  const bool alone = chains < 2;
  if (alone)
    findings.add(L::warning, "only one chain has draws", "nothing can tell whether another start would end elsewhere",
                 "4 chains");
  const double apart = d.disagreement, worst = quantile(rhat, 1), least = quantile(ess, 0);
  if (apart > 0.35)
    findings.add(apart > 0.6 ? L::serious : L::warning,
                 fmt::format("the chains' mean predictions differ by {:.2f} predictive standard deviations", apart),
                 "each chain has found an explanation of its own; their pool is wider than any of them",
                 "more chains pool more explanations; a warmup twice as long lets each find a better one");
  if (worst > 1.1 && !(apart <= 0.1))
    findings.add(alone && worst > 1.5 ? L::serious : L::warning,
                 fmt::format("R-hat of predictions reaches {:.2f}", worst),
                 alone ? "the chain is still on its way" : "the chains have not fully mixed in function space",
                 more_draws + "; a longer warmup or more chains need a new fit");
  const double draws = static_cast<double>(fitted.draw_count());
  if (std::isnan(worst) || draws < 40)
    findings.add(L::serious, fmt::format("{} draws are too few to judge convergence", fitted.draw_count()),
                 "95% bounds need some tens of draws at the least", more_draws);
  else if (least < 50 && !(apart <= 0.1))
    findings.add(alone && least < 10 ? L::serious : L::warning,
                 fmt::format("some predictions have only {:.0f} effective draws", least),
                 "means and bounds carry a Monte Carlo error of their own", more_draws);
  double widths = 0;
  for (const auto& t : d.traces)
    if (t.name.starts_with("width_")) widths = std::max(widths, t.value.rhat);
  if (widths > 1.3)
    findings.add(
        L::warning, fmt::format("R-hat of the widths reaches {:.2f}", widths),
        alone
            ? "the chain has not settled on its widths; their means describe the draws, not yet the posterior"
            : "each chain keeps widths near those it settled on; their means describe the draws, not yet the posterior",
        "a longer warmup; predictions are judged apart from this");
  if (d.noise_ratio > 1.5)
    findings.add(d.noise_ratio > 2.5 ? L::serious : L::warning,
                 fmt::format("the noise of one chain is {:.1f} times that of another", d.noise_ratio),
                 "chains disagree on how noisy the target is, so interval widths depend on the chain", "more warmup");
}

// Draws of a variational fit are independent samples of the approximation by construction: what can be asked is whether
// its training has ended and whether other starts end elsewhere.
void judge_variational(const FittedModel& fitted, const Diagnosis& d, Findings findings) {
  using L = Finding::Level;
  findings.add(L::warning, "a variational fit (ns-vi): R-hat and effective draws have no meaning for it",
               "its draws are samples of an approximation; they cannot show how far it is from the posterior, and its "
               "intervals are often too narrow",
               "an evaluation on rows that were held out, or method mcmc");
  for (std::size_t c = 0; c < d.statistics.size(); ++c) {
    if (d.statistics[c].is_null()) continue;
    const double rise =
        d.statistics[c].at("late_elbo").get<double>() - d.statistics[c].at("earlier_elbo").get<double>();
    if (fitted.configuration.variational.epochs >= 20 && rise > 5)
      findings.add(L::warning,
                   fmt::format("the bound of run {} rose by {:.0f} in the last tenth of its epochs", c + 1, rise),
                   "training had not ended", "more epochs");
  }
  if (d.disagreement > 0.35)
    findings.add(
        d.disagreement > 0.6 ? L::serious : L::warning,
        fmt::format("the runs' mean predictions differ by {:.2f} predictive standard deviations", d.disagreement),
        "other starts end in other optima; their pool is wider than any of them", "more chains, or method mcmc");
  if (fitted.draw_count() < fitted.draws_wanted())
    findings.add(L::warning,
                 fmt::format("the fit is unfinished: {} of {} draws", fitted.draw_count(), fitted.draws_wanted()),
                 "the figures are those of the draws so far", "let it run to its end");
}

void judge_logistic(const Diagnosis& d, Findings findings) {
  using L = Finding::Level;
  findings.add(L::note, "logistic regression: one draw, the posterior's mode",
               "probabilities hold the uncertainty of the label, and nothing of that of the weights",
               "method mcmc for a posterior");
  const auto& statistics = d.statistics.at(0);
  if (!statistics.is_null() && !statistics.at("converged").get<bool>())
    findings.add(L::serious,
                 fmt::format("Newton's method did not converge: the gradient is still {:.2g} a row",
                             statistics.at("gradient_norm").get<double>()),
                 "the weights are not the mode", "a smaller scale of the weight-prior");
}

}  // namespace

bool Diagnosis::trustworthy() const {
  return std::none_of(findings.begin(), findings.end(),
                      [](const Finding& f) { return f.level == Finding::Level::serious; });
}

Dataset reference_rows(const Dataset& data) {
  Dataset few;
  few.inputs = data.inputs;
  few.rows = std::min(kReferenceRows, data.rows);
  for (std::size_t i = 0; i < few.rows; ++i) {
    const std::size_t row = i * data.rows / few.rows;
    few.x.insert(few.x.end(), data.x.begin() + static_cast<std::ptrdiff_t>(row * data.inputs),
                 data.x.begin() + static_cast<std::ptrdiff_t>((row + 1) * data.inputs));
  }
  return few;
}

// What is predicted: the function for regression, probabilities for classes. Logits would not do: whether a probability
// is 1e-9 or 1e-12 is of no interest.
Diagnosis diagnose(const FitFile& file, const FittedModel& fitted) {
  const Dataset rows = reference_rows(stored_data(file));
  const Predictive predictive(fitted);
  const bool regression = fitted.encoding.task() == Task::regression;
  return diagnose(file, fitted, regression ? predictive.function_values(rows) : predictive.probabilities(rows));
}

Diagnosis diagnose(const FitFile& file, const FittedModel& fitted, const std::vector<std::vector<double>>& values) {
  Diagnosis d;
  for (std::size_t c = 0; c < fitted.draws.size(); ++c) {
    const auto statistics = file.statistics(static_cast<int>(c));
    d.statistics.push_back(statistics ? statistics->values : nlohmann::json(nullptr));
  }
  const Encoding& encoding = fitted.encoding;
  const bool regression = encoding.task() == Task::regression;
  const std::size_t quantities = regression ? 1 : encoding.classes() == 2 ? 1 : encoding.classes();
  const std::size_t rows = values.at(0).size() / quantities;
  std::vector<double>
      noises;  // mean noise variance of each chain; the median, so that one bad chain cannot hide itself
  for (const auto& chain : fitted.draws) {
    if (chain.empty()) continue;
    double sum = 0;
    for (const State& s : chain) sum += s.noise_variance;
    noises.push_back(sum / static_cast<double>(chain.size()) * encoding.target_sd() * encoding.target_sd());
  }
  const double noise = quantile(noises, 0.5);
  if (regression) d.noise_ratio = std::sqrt(quantile(noises, 1) / quantile(noises, 0));
  std::vector<double> apart;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t k = 0; k < quantities; ++k) {
      Chains chains;
      std::size_t at = 0;
      double label_variance = 0;  // of a label, given its probability: its mean over draws
      for (const auto& draws : fitted.draws) {
        if (draws.empty()) continue;
        auto& chain = chains.emplace_back();
        for (std::size_t i = 0; i < draws.size(); ++i) {
          const double value = values[at++][k * rows + r];
          chain.push_back(regression ? encoding.target_mean() + encoding.target_sd() * value : value);
          label_variance += value * (1 - value);
        }
      }
      d.predictions.push_back({quantities == 1 ? fmt::format("prediction[{}]", r)
                                               : fmt::format("probability[{},{}]", r, encoding.labels()[k]),
                               convergence(chains)});
      apart.push_back(disagreement(chains, regression ? noise : label_variance / static_cast<double>(at)));
    }
  d.disagreement = quantile(apart, 0.9);
  const auto names = file.configuration().at("traces").get<std::vector<std::string>>();
  for (std::size_t i = 0; i < names.size(); ++i) {
    Chains chains;
    for (const auto& draws : fitted.traces) {
      if (draws.empty()) continue;
      auto& chain = chains.emplace_back();
      for (const auto& draw : draws)
        chain.push_back(names[i].ends_with("_sd") ? encoding.target_sd() * draw.at(i) : draw.at(i));
    }
    d.traces.push_back({names[i], convergence(chains)});
  }
  switch (fitted.configuration.method) {
    case Method::mcmc:
      judge_convergence(fitted, d, Findings(d.findings));
      judge_kernels(fitted, d, Findings(d.findings));
      return d;
    case Method::ns_vi:
      judge_variational(fitted, d, Findings(d.findings));
      break;
    case Method::logistic:
      judge_logistic(d, Findings(d.findings));
  }
  for (auto* list : {&d.predictions, &d.traces})  // nobody should read these numbers
    for (auto& entry : *list)
      entry.value.rhat = entry.value.ess_bulk = entry.value.ess_tail = entry.value.mcse_mean = NAN;
  return d;
}

nlohmann::json to_json(const Convergence& c) {
  auto number = [](double v) { return std::isfinite(v) ? nlohmann::json(v) : nlohmann::json(nullptr); };
  return {{"mean", number(c.mean)},         {"sd", number(c.sd)},
          {"rhat", number(c.rhat)},         {"ess_bulk", number(c.ess_bulk)},
          {"ess_tail", number(c.ess_tail)}, {"mcse_mean", number(c.mcse_mean)}};
}

nlohmann::json to_json(const Diagnosis& d) {
  static const char* const levels[] = {"note", "warning", "serious"};
  nlohmann::json json{{"trustworthy", d.trustworthy()},
                      {"disagreement", std::isfinite(d.disagreement) ? nlohmann::json(d.disagreement) : nullptr},
                      {"noise_ratio", d.noise_ratio},
                      {"predictions", nlohmann::json::object()},
                      {"traces", nlohmann::json::object()},
                      {"chains", d.statistics},
                      {"findings", nlohmann::json::array()}};
  for (const auto& p : d.predictions) json["predictions"][p.name] = to_json(p.value);
  for (const auto& t : d.traces) json["traces"][t.name] = to_json(t.value);
  for (const auto& f : d.findings)
    json["findings"].push_back(
        {{"level", levels[static_cast<int>(f.level)]}, {"what", f.what}, {"meaning", f.meaning}, {"advice", f.advice}});
  return json;
}

}  // namespace mbnn
