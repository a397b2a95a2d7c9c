#include "mbnn/tables/chain_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "mbnn/core/json_values.h"
#include "mbnn/run/inspect.h"
#include "mbnn/tables/ladder_report.h"
#include "mbnn/tables/turnover.h"

namespace mbnn {

namespace {

// Moves of one sort, added over chains.
struct Moves {
  double tried = 0, accepted = 0;
  void add(const nlohmann::json& counts) {
    tried += counts.at("tried").get<double>();
    accepted += counts.at("accepted").get<double>();
  }
};

// Births and deaths after the warm-up, by what they are called.
std::map<std::string, Moves> mask_moves(const std::vector<nlohmann::json>& statistics) {
  std::map<std::string, Moves> moves;
  for (const auto& chain : statistics) {
    if (chain.is_null()) continue;
    const auto& masks = chain.at("sampling").at("masks");
    for (const char* kind : {"births", "deaths"}) {
      for (const auto& move : masks.at(kind)) {
        const auto nodes = value_in<int>(move.at("nodes"));
        moves[fmt::format("{} of {} node{}", kind, nodes, nodes > 1 ? "s" : "")].add(move);
      }
      const std::string refitting = fmt::format("refit_{}", kind);  // fits of old versions have none
      if (masks.contains(refitting)) moves[fmt::format("{}, the others refitted", kind)].add(masks.at(refitting));
    }
  }
  return moves;
}

struct WeightTotals {
  double trajectories = 0, iterations = 0, accept = 0, divergences = 0;  // after the warm-up
  double gradients = 0, weight_seconds = 0, mask_seconds = 0;            // with it
};

WeightTotals weight_moves(const std::vector<nlohmann::json>& statistics) {
  WeightTotals all;
  for (const auto& chain : statistics) {
    if (chain.is_null()) continue;
    for (const char* phase : {"warmup", "sampling"}) {
      const auto& weights = chain.at(phase).at("weights");
      all.gradients += weights.at("gradients").get<double>();
      all.weight_seconds += weights.at("seconds").get<double>();
      all.mask_seconds += chain.at(phase).at("masks").at("seconds").get<double>();
    }
    const auto& weights = chain.at("sampling").at("weights");
    const double count = weights.at("trajectories");
    all.trajectories += count;
    all.accept += count * weights.at("acceptance").get<double>();
    all.divergences += weights.at("divergences").get<double>();
    // A mini-batch sampler has iterations that were undone in place of trajectories that diverged.
    all.iterations += std::max(count, chain.at("sampling").at("iterations").get<double>());
  }
  return all;
}

void judge_acceptance(Diagnosis& d) {
  using L = Finding::Level;
  for (std::size_t c = 0; c < d.statistics.size(); ++c) {
    if (d.statistics[c].is_null()) continue;  // a chain that has stored nothing yet
    const auto& weights = d.statistics[c].at("sampling").at("weights");
    const double acceptance = weights.at("acceptance");
    if (weights.at("trajectories").get<double>() > 0 && acceptance < 0.4)
      d.add(acceptance < 0.15 ? L::serious : L::warning,
            fmt::format("chain {} accepts {:.0f}% of its weight moves", c + 1, 100 * acceptance),
            "it hardly moves, so its draws repeat each other", "a higher target-accept, or another seed");
  }
}

struct Sizes {
  std::vector<double> widths;
  double weights = 0, noise_sd = 0, lambda = 0;
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
      sizes.lambda += state.lambda;
    }
  // Divided last: a width that never changed is a whole number.
  const double count = static_cast<double>(fitted.draw_count());
  for (double& width : sizes.widths) width /= count;
  for (double* sum : {&sizes.weights, &sizes.noise_sd, &sizes.lambda}) *sum /= count;
  return sizes;
}

// The mean noise variance of each chain, in units of the target and ascending.
std::vector<double> noise_variances(const FittedModel& fitted) {
  std::vector<double> variances;
  const double sd = fitted.encoding.target_sd();
  for (const auto& chain : fitted.draws) {
    if (chain.empty()) continue;
    double sum = 0;
    for (const State& s : chain) sum += s.noise_variance;
    variances.push_back(sum / static_cast<double>(chain.size()) * sd * sd);
  }
  std::ranges::sort(variances);
  return variances;
}

}  // namespace

void judge_moves(const FittedModel& fitted, Diagnosis& d) {
  using L = Finding::Level;
  judge_acceptance(d);
  const bool stochastic = fitted.configuration.chain.stochastic();
  const WeightTotals weights = weight_moves(d.statistics);
  if (weights.iterations > 0 && weights.divergences > 0.01 * weights.iterations)
    d.add(weights.divergences > 0.1 * weights.iterations ? L::serious : L::warning,
          fmt::format("{:.1f}% of the trajectories diverged", 100 * weights.divergences / weights.iterations),
          "the sampler cannot follow the posterior somewhere and may miss a part of it",
          stochastic ? "a smaller step-length" : "target-accept 0.95, or a smaller scale of the weight-prior");
  const auto moves = mask_moves(d.statistics);
  Moves all;
  for (const auto& [name, of_a_sort] : moves) {
    all.tried += of_a_sort.tried;
    all.accepted += of_a_sort.accepted;
  }
  if (fitted.model.masks && all.tried > 0 && all.accepted < 1e-3 * all.tried)
    d.add(L::warning, fmt::format("{:.2f}% of the births and deaths were accepted", 100 * all.accepted / all.tried),
          "widths stay near where they started", "more refit-moves and mask-moves, or max-flips 1");
  if (stochastic)
    d.add(L::note, "mini-batch sampler without a correction",
          "its draws are approximate: interval widths depend on the step size",
          "sampler hmc if the table is small enough");

  if (weights.trajectories > 0)
    d.moves.push_back(fmt::format("weights   {:.0f} trajectories, acceptance {:.2f}, {:.0f} divergent",
                                  weights.trajectories, weights.accept / weights.trajectories, weights.divergences));
  for (const auto& [name, sort] : moves)
    if (sort.tried > 0)
      d.moves.push_back(
          fmt::format("{}: {:.0f} tried, {:.2f}% accepted", name, sort.tried, 100 * sort.accepted / sort.tried));
  const auto layers = fitted.model.masks ? turnover(fitted.draws) : std::vector<Turnover>();
  for (std::size_t l = 0; l < layers.size(); ++l)
    d.moves.push_back(fmt::format("established nodes of layer {}: {:.1f} stand, {} came and {} went", l + 1,
                                  layers[l].standing, layers[l].came, layers[l].went));
  judge_ladders(d);
  d.moves.push_back(
      fmt::format("cost      {:.0f} gradients; {:.1f} s on weights, {:.1f} s on masks (all chains, with "
                  "warm-up)",
                  weights.gradients, weights.weight_seconds, weights.mask_seconds));
}

Evidence chain_evidence(const FitFile& file, const FittedModel& fitted) {
  Evidence evidence;
  const double sd = fitted.encoding.target_sd();
  evidence.traces = stored_traces(file, file.configuration().at("traces").get<std::vector<std::string>>(),
                                  [sd](const std::string& name) { return name.ends_with("_sd") ? sd : 1.0; });
  if (fitted.configuration.method == Method::mcmc && fitted.model.masks) {
    const auto& widths = fitted.configuration.chain.start.widths;
    evidence.widths_move = !fitted.model.architecture.caps.empty();
    evidence.starts_differ = std::ranges::min(widths) < std::ranges::max(widths);
    const auto layers = turnover(fitted.draws);
    if (!layers.empty())
      evidence.nodes_move = std::ranges::any_of(layers, [](const Turnover& t) { return t.came + t.went > 0; });
  }
  const auto noises = noise_variances(fitted);
  if (fitted.encoding.task() == Task::regression) evidence.noise_ratio = std::sqrt(noises.back() / noises.front());
  return evidence;
}

void add_predictions(const FittedModel& fitted, const std::vector<std::vector<double>>& values, Evidence& evidence) {
  const Encoding& encoding = fitted.encoding;
  const bool regression = encoding.task() == Task::regression;
  const std::size_t quantities = regression || encoding.classes() == 2 ? 1 : encoding.classes();
  const std::size_t rows = values.at(0).size() / quantities;
  const auto noises = noise_variances(fitted);
  const double noise = noises.at(noises.size() / 2);  // the median, so that one bad chain cannot hide itself
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t k = 0; k < quantities; ++k) {
      Quantity quantity{quantities == 1 ? fmt::format("prediction[{}]", r)
                                        : fmt::format("probability[{},{}]", r, encoding.labels()[k]),
                        {},
                        noise};
      std::size_t at = 0;
      double label_variance = 0;  // of a label, given its probability: its mean over draws
      for (const auto& draws : fitted.draws) {
        if (draws.empty()) continue;
        auto& chain = quantity.chains.emplace_back();
        for (std::size_t i = 0; i < draws.size(); ++i) {
          const double value = values[at++][k * rows + r];
          chain.push_back(regression ? encoding.target_mean() + encoding.target_sd() * value : value);
          label_variance += value * (1 - value);
        }
      }
      if (!regression) quantity.variance = label_variance / static_cast<double>(at);
      evidence.predictions.push_back(std::move(quantity));
    }
}

void describe_network(const FittedModel& fitted, Description& description) {
  if (fitted.draw_count() == 0) return;
  const Sizes sizes = mean_sizes(fitted);
  const Architecture& architecture = fitted.model.architecture;
  Shape full{{architecture.inputs}};
  full.widths.insert(full.widths.end(), architecture.caps.begin(), architecture.caps.end());
  full.widths.push_back(architecture.outputs);
  auto& lines = description.learnt;
  if (!sizes.widths.empty()) {
    lines.push_back({"widths", fmt::format("({:.1f}) of at most ({}) nodes", fmt::join(sizes.widths, ", "),
                                           fmt::join(architecture.caps, ", "))});
    lines.push_back({"weights", fmt::format("{:.0f}, {:.3g}% of the full network's {}", sizes.weights,
                                            100 * sizes.weights / static_cast<double>(full.size()), full.size())});
  }
  auto& json = description.json;
  json["widths"] = sizes.widths;
  json["caps"] = architecture.caps;
  json["weights"] = sizes.weights;
  if (fitted.model.likelihood.has_noise()) {
    lines.push_back({"noise", fmt::format("{:.4g} (standard deviation)", sizes.noise_sd)});
    json["noise_sd"] = sizes.noise_sd;
  }
  const char* const how[] = {"given", "sampled", "chosen on held-out rows"};
  if (fitted.model.masks && sizes.lambda > 0)
    lines.push_back({"lambda", fmt::format("{:.4g} ({})", sizes.lambda,
                                           how[static_cast<int>(fitted.configuration.lambda_choice)])});
}

}  // namespace mbnn
