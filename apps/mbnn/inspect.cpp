// mbnn summary and mbnn diagnose: what was learnt, and whether to believe it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/mbnn/image.h"
#include "apps/mbnn/series.h"
#include "apps/mbnn/session.h"
#include "mbnn/core/names.h"
#include "mbnn/series/series_fit.h"
#include "mbnn/tables/report.h"

namespace mbnn::app {

namespace {

double worst(const std::vector<NamedConvergence>& list, double Convergence::*field, bool largest) {
  double value = NAN;
  for (const auto& entry : list) {
    const double v = entry.value.*field;
    if (std::isnan(v)) continue;
    if (std::isnan(value) || (largest ? v > value : v < value)) value = v;
  }
  return value;
}

// R-hat and effective draws of a chain; of a baseline only what its draws say.
void print_convergence(const Diagnosis& d) {
  fmt::print("{:<26} {:>8} {:>9} {:>9} {:>11} {:>10}\n", "", "R-hat", "bulk ESS", "tail ESS", "mean", "sd");
  fmt::print("{:<26} {:>8.3f} {:>9.0f} {:>9.0f}\n", fmt::format("predictions (worst of {})", d.predictions.size()),
             worst(d.predictions, &Convergence::rhat, true), worst(d.predictions, &Convergence::ess_bulk, false),
             worst(d.predictions, &Convergence::ess_tail, false));
  for (const auto& t : d.traces) {
    if (std::isnan(t.value.rhat)) {  // too few draws, unless it never moves
      fmt::print("{:<26} {:>8} {:>9} {:>9} {:>11.4g}", t.name, t.value.sd > 0 ? "-" : "fixed", "", "", t.value.mean);
      fmt::print("{}\n", t.value.sd > 0 ? fmt::format(" {:>10.3g}", t.value.sd) : "");
      continue;
    }
    fmt::print("{:<26} {:>8.3f} {:>9.0f} {:>9.0f} {:>11.4g} {:>10.3g}\n", t.name, t.value.rhat, t.value.ess_bulk,
               t.value.ess_tail, t.value.mean, t.value.sd);
  }
}

void print_baseline(const Diagnosis& d) {
  fmt::print("{:<26} {:>11} {:>10}\n", "", "mean", "sd");
  for (const auto& t : d.traces) fmt::print("{:<26} {:>11.4g} {:>10.3g}\n", t.name, t.value.mean, t.value.sd);
  for (std::size_t c = 0; c < d.statistics.size(); ++c) {
    if (d.statistics[c].is_null()) continue;
    fmt::print("run {:<2}", c + 1);
    for (const auto& [name, value] : d.statistics[c].items())
      fmt::print("  {} {}", name, value.is_number_float() ? fmt::format("{:.4g}", value.get<double>()) : value.dump());
    fmt::print("\n");
  }
}

// Names and per cent of the moves that were accepted, added over chains.
void print_kernels(const Diagnosis& d) {
  double trajectories = 0, accept = 0, divergences = 0, gradients = 0, weight_seconds = 0, mask_seconds = 0;
  std::map<std::string, std::pair<double, double>> moves;
  for (const auto& chain : d.statistics) {
    if (chain.is_null()) continue;
    for (const char* phase : {"warmup", "sampling"}) {
      const auto& s = chain.at(phase);
      const auto& w = s.at("weights");
      gradients += w.at("gradients").get<double>();
      weight_seconds += w.at("seconds").get<double>();
      mask_seconds += s.at("masks").at("seconds").get<double>();
      if (std::string(phase) == "warmup") continue;
      const double count = w.at("trajectories");
      trajectories += count;
      accept += count * w.at("acceptance").get<double>();
      divergences += w.at("divergences").get<double>();
      const auto& masks = s.at("masks");
      const auto add = [&](const std::string& name, const auto& move) {
        auto& [tried, accepted] = moves[name];
        tried += move.at("tried").template get<double>();
        accepted += move.at("accepted").template get<double>();
      };
      for (const char* kind : {"births", "deaths"}) {
        for (const auto& move : masks.at(kind)) {
          const int nodes = move.at("nodes");
          add(fmt::format("{} of {} node{}", kind, nodes, nodes > 1 ? "s" : ""), move);
        }
        const std::string refitting = fmt::format("refit_{}", kind);
        if (masks.contains(refitting)) add(fmt::format("{}, the others refitted", kind), masks.at(refitting));
      }
    }
  }
  fmt::print("\nkernels, after warm-up\n");
  if (trajectories > 0)
    fmt::print("  weights   {:.0f} trajectories, acceptance {:.2f}, {:.0f} divergent\n", trajectories,
               accept / trajectories, divergences);
  for (const auto& [name, move] : moves)
    if (const auto& [tried, accepted] = move; tried > 0)
      fmt::print("  {}: {:.0f} tried, {:.2f}% accepted\n", name, tried, 100 * accepted / tried);
  fmt::print("  cost      {:.0f} gradients; {:.1f} s on weights, {:.1f} s on masks (all chains, with warm-up)\n",
             gradients, weight_seconds, mask_seconds);
}

int diagnose_fit(const std::string& path, const Common& common) {
  const FitFile file = FitFile::open(path, FitFile::Mode::read);
  refuse_image_fit(file, "mbnn image evaluate");
  const FittedModel fitted = read_with_draws(file);
  const Diagnosis d = is_series(file) ? diagnose_series(file, fitted) : diagnose(file, fitted);
  if (common.json) {
    fmt::print("{}\n", to_json(d).dump(2));
    return d.trustworthy() ? good : not_trusted;
  }
  if (!common.quiet) {
    const bool chains = fitted.configuration.method == Method::mcmc;
    chains ? print_convergence(d) : print_baseline(d);
    if (!std::isnan(d.disagreement))
      fmt::print("{}' mean predictions differ by {:.2f} predictive sd (90% of rows stay under this)\n",
                 chains ? "chains" : "runs", d.disagreement);
    if (chains) print_kernels(d);
    fmt::print("\n");
  }
  static const char* const levels[] = {"note", "warning", "serious"};
  for (const auto& f : d.findings)
    fmt::print("{}: {}.\n  It means: {}.\n  Try: {}.\n", levels[static_cast<int>(f.level)], f.what, f.meaning,
               f.advice);
  if (d.findings.empty())
    fmt::print("nothing found to worry about\n");
  else if (fitted.configuration.method != Method::logistic)
    fmt::print("next: mbnn resume {} {}\n", path,
               fitted.draw_count() < fitted.draws_wanted() ? "lets it go on" : "--draws N adds draws");
  fmt::print("{}\n", d.trustworthy() ? "verdict: usable" : "verdict: not to be trusted");
  return d.trustworthy() ? good : not_trusted;
}

int summarise(const std::string& path, const Common& common) {
  const FitFile file = FitFile::open(path, FitFile::Mode::read);
  refuse_image_fit(file, "mbnn image evaluate");
  const FittedModel fitted = FittedModel::read(file);
  const Configuration& c = fitted.configuration;
  if (common.json) {
    nlohmann::json json = description_json(fitted);
    json["configuration"] = file.configuration();
    json["encoding"] = file.encoding();
    json["notes"] = file.notes();
    json["finished"] = fitted.draw_count() == fitted.draws_wanted();
    fmt::print("{}\n", json.dump(2));
    return good;
  }
  fmt::print("fit of   {} from {}\n", fitted.encoding.target(), c.data);
  if (fitted.encoding.task() == Task::classification)
    fmt::print("classes  {}\n", fmt::join(fitted.encoding.labels(), ", "));
  fmt::print("inputs   {}\n", fmt::join(fitted.encoding.input_names(), ", "));
  for (const auto& note : file.notes()) fmt::print("note     {}\n", note);
  if (c.method != Method::mcmc) fmt::print("method   {}\n", name_of(c.method));
  fmt::print("{}{}", describe(fitted), is_series(file) ? describe_series(file, fitted) : "");
  const char* const how[] = {"given", "sampled", "chosen on held-out rows"};
  double lambda = 0;
  for (const auto& chain : fitted.draws)
    for (const State& s : chain) lambda += s.lambda / static_cast<double>(fitted.draw_count());
  if (fitted.model.masks && lambda > 0)
    fmt::print("lambda   {:.4g} ({})\n", lambda, how[static_cast<int>(c.lambda_choice)]);
  std::vector<ChainProgress> chains(c.chains);
  for (const auto& p : file.progress()) chains.at(static_cast<std::size_t>(p.chain)) = p;
  for (std::size_t i = 0; i < chains.size(); ++i)
    fmt::print("chain {:<2} {} of {} iterations, {} draws\n", i + 1, chains[i].iteration, c.iterations(),
               chains[i].draws);
  if (fitted.draw_count() < fitted.draws_wanted()) fmt::print("unfinished: mbnn resume {}\n", path);
  return good;
}

void add(CLI::App& app, Common& common, Action& action, const char* name, const char* about,
         int (*run)(const std::string&, const Common&)) {
  auto* verb = app.add_subcommand(name, about);
  auto path = std::make_shared<std::string>();
  verb->add_option("FIT", *path, "the fit file")->required();
  add_common_options(*verb, common);
  verb->callback([=, &common, &action] { action = [=, &common] { return run(*path, common); }; });
}

}  // namespace

void add_diagnose(CLI::App& app, Common& common, Action& action) {
  add(app, common, action, "diagnose", "whether to believe a fit; exit code 3 if not", diagnose_fit);
}

void add_summary(CLI::App& app, Common& common, Action& action) {
  add(app, common, action, "summary", "what was learnt: widths, noise, inputs, how far the chains are", summarise);
}

}  // namespace mbnn::app
