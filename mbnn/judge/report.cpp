#include "mbnn/judge/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mbnn {

namespace {

// Of R-hat: chains whose means are 0.6 of the widths' spread apart, as of predictions.
constexpr double kWidthsLimit = 1.25;

double quantile(std::vector<double> values, double p) {
  std::erase_if(values, [](double v) { return std::isnan(v); });
  if (values.empty()) return NAN;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(p * static_cast<double>(values.size() - 1) + 0.5)];
}

// How far apart the chains' means are, beside the spread that a prediction has anyway.
double disagreement(const Quantity& quantity) {
  std::vector<double> means;
  double within = 0;
  for (const auto& chain : quantity.chains) {
    const double n = static_cast<double>(chain.size());
    const double mean = std::accumulate(chain.begin(), chain.end(), 0.0) / n;
    for (double v : chain) within += (v - mean) * (v - mean) / n;
    means.push_back(mean);
  }
  const double k = static_cast<double>(quantity.chains.size());
  if (k < 2) return NAN;
  const double centre = std::accumulate(means.begin(), means.end(), 0.0) / k;
  double between = 0;
  for (double m : means) between += (m - centre) * (m - centre) / (k - 1);
  return std::sqrt(between / (within / k + between + quantity.variance));
}

// The verdict rests on what a user acts on: predictions and their spread. Chains in different modes that predict alike
// are no harm; their R-hat is reported, and judged by how much the predictions differ. docs/diagnose.md has the limits.
void judge_convergence(const Evidence& evidence, Diagnosis& d) {
  using L = Finding::Level;
  const std::string more_draws = "more draws, which can be added to the fit";
  std::vector<double> rhat, ess;
  for (const auto& p : d.predictions) {
    rhat.push_back(p.value.rhat);
    ess.push_back(p.value.ess_bulk);
  }
  const bool alone = d.chains < 2;
  if (alone)
    d.add(L::warning, "only one chain has draws", "nothing can tell whether another start would end elsewhere",
          "4 chains");
  const double apart = d.disagreement, worst = quantile(rhat, 1), least = quantile(ess, 0);
  if (apart > 0.35)
    d.add(apart > 0.6 ? L::serious : L::warning,
          fmt::format("the chains' mean predictions differ by {:.2f} predictive standard deviations", apart),
          "each chain has found an explanation of its own; their pool is wider than any of them",
          "more chains pool more explanations; a warmup twice as long lets each find a better one");
  if (worst > 1.1 && !(apart <= 0.1))
    d.add(alone && worst > 1.5 ? L::serious : L::warning, fmt::format("R-hat of predictions reaches {:.2f}", worst),
          alone ? "the chain is still on its way" : "the chains have not fully mixed in function space",
          more_draws + "; a longer warmup or more chains need a new fit");
  if (d.draws < evidence.fewest_draws || (std::isnan(worst) && !d.predictions.empty()))
    d.add(L::serious, fmt::format("{} draws are too few to judge convergence", d.draws),
          fmt::format("answers of this kind need at least {} draws", evidence.fewest_draws), more_draws);
  else if (least < 50 && evidence.fewest_draws > 10 && !(apart <= 0.1))
    d.add(alone && least < 10 ? L::serious : L::warning,
          fmt::format("some predictions have only {:.0f} effective draws", least),
          fmt::format("a mean is known to {:.0f}% of its posterior sd, and bounds are rougher; what that does to "
                      "intervals is judged by how far the chains' means are apart",
                      100 / std::sqrt(least)),
          more_draws);
  else if (!alone && apart <= 0.1 && (worst > 1.1 || least < 50) && evidence.fewest_draws > 10)
    d.add(L::note,
          fmt::format("R-hat of predictions reaches {:.2f}, the least effective draws are {:.0f}", worst, least),
          fmt::format("it does not count for the verdict: the chains' means differ by {:.2f} predictive standard "
                      "deviations, which a new row's own noise hides; bands of the function alone are less sure",
                      apart),
          more_draws);
  if (d.noise_ratio > 1.5)
    d.add(d.noise_ratio > 2.5 ? L::serious : L::warning,
          fmt::format("the noise of one chain is {:.1f} times that of another", d.noise_ratio),
          "chains disagree on how noisy the target is, so interval widths depend on the chain", "a longer warmup");
}

// Nodes that carry nothing come and go freely, and chains that began alike stay alike: widths are the posterior's only
// if chains from different starts met, by nodes that count.
WidthVerdict judge_widths(const Evidence& evidence, const Diagnosis& d) {
  using K = WidthVerdict::Kind;
  if (!evidence.widths_move) return {};
  double rhat = 0;
  for (const auto& t : d.traces)
    if ((t.name.starts_with("width_") || t.name == "channels") && !std::isnan(t.value.rhat))
      rhat = std::max(rhat, t.value.rhat);
  if (d.draws < evidence.fewest_draws) return {K::not_trusted, fmt::format("{} draws are too few", d.draws)};
  if (rhat > kWidthsLimit)
    return {K::not_trusted, d.chains < 2 ? fmt::format("the chain is still on its way (R-hat {:.2f})", rhat)
                                         : fmt::format("chains keep to widths of their own (R-hat {:.2f})", rhat)};
  if (evidence.nodes_move == false) return {K::not_trusted, "no established node came or went"};
  if (d.chains < 2) return {K::untold, "one chain alone cannot tell"};
  if (!evidence.starts_differ) return {K::untold, "all chains began with the same widths, and may have kept them"};
  return {K::usable, ""};
}

}  // namespace

bool Diagnosis::trustworthy() const {
  return std::none_of(findings.begin(), findings.end(),
                      [](const Finding& f) { return f.level == Finding::Level::serious; });
}

Diagnosis judge(const Evidence& evidence) {
  Diagnosis d;
  d.noise_ratio = evidence.noise_ratio;
  d.markov = evidence.markov;
  std::vector<double> apart;
  for (const Quantity& quantity : evidence.predictions) {
    d.predictions.push_back({quantity.name, convergence(quantity.chains)});
    apart.push_back(disagreement(quantity));
  }
  d.disagreement = quantile(apart, 0.9);
  for (const Quantity& quantity : evidence.traces) d.traces.push_back({quantity.name, convergence(quantity.chains)});
  for (const auto* list : {&evidence.predictions, &evidence.traces}) {
    if (list->empty()) continue;
    d.chains = list->front().chains.size();
    d.draws = 0;
    for (const auto& chain : list->front().chains) d.draws += chain.size();
  }
  if (evidence.markov) {
    judge_convergence(evidence, d);
    d.widths = judge_widths(evidence, d);
    return d;
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
  static const char* const verdicts[] = {"none", "usable", "untold", "not to be trusted"};
  nlohmann::json json{
      {"trustworthy", d.trustworthy()},
      {"disagreement", std::isfinite(d.disagreement) ? nlohmann::json(d.disagreement) : nullptr},
      {"noise_ratio", d.noise_ratio},
      {"widths_verdict", {{"verdict", verdicts[static_cast<int>(d.widths.kind)]}, {"why", d.widths.why}}},
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
