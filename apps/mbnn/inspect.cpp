// mbnn summary and mbnn diagnose: what was learnt, and whether to believe it, whatever the kind of the fit.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/common/details.h"
#include "apps/mbnn/session.h"
#include "mbnn/core/text.h"
#include "mbnn/run/inspect.h"
#include "mbnn/tables/leave_one_out.h"
#include "mbnn/tables/training_rows.h"

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

void print_convergence(const Diagnosis& d) {
  fmt::print("{:<26} {:>8} {:>9} {:>9} {:>11} {:>10}\n", "", "R-hat", "bulk ESS", "tail ESS", "mean", "sd");
  if (!d.predictions.empty())
    fmt::print("{:<26} {:>8.3f} {:>9.0f} {:>9.0f}\n", fmt::format("predictions (worst of {})", d.predictions.size()),
               worst(d.predictions, &Convergence::rhat, true), worst(d.predictions, &Convergence::ess_bulk, false),
               worst(d.predictions, &Convergence::ess_tail, false));
  for (const auto& t : d.traces) {
    if (std::isnan(t.value.rhat)) {  // too few draws, unless it never moves, but for rounding of the mean
      const bool moves = t.value.sd > 1e-12 * std::abs(t.value.mean);
      fmt::print("{:<26} {:>8} {:>9} {:>9} {:>11.4g}", visible(t.name), moves ? "-" : "fixed", "", "", t.value.mean);
      fmt::print("{}\n", moves ? fmt::format(" {:>10.3g}", t.value.sd) : "");
      continue;
    }
    fmt::print("{:<26} {:>8.3f} {:>9.0f} {:>9.0f} {:>11.4g} {:>10.3g}\n", visible(t.name), t.value.rhat,
               t.value.ess_bulk, t.value.ess_tail, t.value.mean, t.value.sd);
  }
}

// Draws that are no chain's have means and spreads alone.
void print_means(const Diagnosis& d) {
  fmt::print("{:<26} {:>11} {:>10}\n", "", "mean", "sd");
  for (const auto& t : d.traces) fmt::print("{:<26} {:>11.4g} {:>10.3g}\n", visible(t.name), t.value.mean, t.value.sd);
}

std::string words_of(const WidthVerdict& verdict) {
  switch (verdict.kind) {
    case WidthVerdict::Kind::usable:
      return "usable";
    case WidthVerdict::Kind::untold:
      return "cannot be told: " + verdict.why;
    default:
      return "not to be trusted: " + verdict.why;
  }
}

int diagnose_fit(const std::string& path, const Common& common) {
  const FitFile file = FitFile::open(path, FitFile::Mode::read);
  const auto problem = problem_of(file);
  std::vector<std::string> notes;
  require_draws(file, *problem, notes);
  const Diagnosis d = diagnose(file, *problem);
  if (common.json) {
    fmt::print("{}\n", to_json(d).dump(2));
    return d.trustworthy() ? good : not_trusted;
  }
  if (!common.quiet) {
    d.markov ? print_convergence(d) : print_means(d);
    if (!std::isnan(d.disagreement))
      fmt::print("{}' mean predictions differ by {:.2f} predictive sd (90% of rows stay under this)\n",
                 d.markov ? "chains" : "runs", d.disagreement);
    if (!d.moves.empty()) fmt::print("\n{}\n", d.markov ? "kernels, after warm-up" : "runs");
    for (const std::string& line : d.moves) fmt::print("  {}\n", visible(line));
    fmt::print("\n");
  }
  static const char* const levels[] = {"note", "warning", "serious"};
  for (const auto& f : d.findings)
    fmt::print("{}: {}.\n  It means: {}.\n  Try: {}.\n", levels[static_cast<int>(f.level)], visible(f.what),
               visible(f.meaning), visible(f.advice));
  if (d.findings.empty()) fmt::print("nothing found to worry about\n");
  fmt::print("verdict on predictions: {}\n", d.trustworthy() ? "usable" : "not to be trusted");
  if (d.widths.kind != WidthVerdict::Kind::none) fmt::print("verdict on widths: {}\n", words_of(d.widths));
  if (!d.findings.empty() && d.markov) fmt::print("more draws: mbnn resume {} --draws N\n", path);
  return d.trustworthy() ? good : not_trusted;
}

struct SummaryArguments {
  std::string fit;
  bool loo = true;
};

// What the fit would say of its training rows, each without that row; chains of a table's fit can tell.
std::optional<LeaveOneOut> left_out(const FitFile& file, const Problem& problem, const Common& common) {
  if (problem.kind() != "table") return {};
  const FittedModel fitted = FittedModel::read(file);
  if (fitted.configuration.method != Method::mcmc || fitted.draw_count() == 0) return {};
  return leave_one_out(fitted, stored_data(file, fitted.encoding), common.thread_count());
}

void print_left_out(const LeaveOneOut& loo) {
  fmt::print("loo      elpd {:.1f} with a standard error of {:.1f}, p_eff {:.1f}: nll {:.4f} a row without that row\n",
             loo.elpd, loo.se, loo.p_eff, -loo.elpd / static_cast<double>(loo.rows));
  if (loo.trustworthy()) return;
  fmt::print(
      "         k is above {:.2f} for {} of {} rows, above 0.7 for {}: the figure is not to be trusted; mbnn cv "
      "gives one that is\n",
      loo.k_limit, loo.k_above_limit, loo.rows, loo.k_above_07);
}

int summarise_fit(const SummaryArguments& arguments, const Common& common) {
  const std::string& path = arguments.fit;
  const FitFile file = FitFile::open(path, FitFile::Mode::read);
  const auto problem = problem_of(file);
  const Summary s = summarise(file, *problem);
  const std::optional<LeaveOneOut> loo = arguments.loo && s.draws > 0 ? left_out(file, *problem, common) : std::nullopt;
  if (common.json) {
    nlohmann::json json = to_json(s);
    if (loo) json["loo"] = to_json(*loo);
    json["configuration"] = file.configuration();
    json["encoding"] = file.encoding();
    json["notes"] = s.notes;
    fmt::print("{}\n", json.dump(2));
    return good;
  }
  fmt::print("{}", lines_of(s.description.about));
  for (const auto& note : s.notes) fmt::print("note     {}\n", visible(note));
  fmt::print("draws    {}\n{}", s.draws, lines_of(s.description.learnt));
  if (loo) print_left_out(*loo);
  for (std::size_t i = 0; i < s.chains.size(); ++i)
    fmt::print("chain {:<2} {} of {} {}, {} draws\n", i + 1, s.chains[i].done, s.length, s.step_name,
               s.chains[i].draws);
  if (!s.finished) fmt::print("unfinished: mbnn resume {}\n", path);
  return good;
}

}  // namespace

void add_diagnose(CLI::App& app, Common& common, Action& action) {
  const auto declare = [](std::string& path) {
    OptionList options;
    declare_fit(options, path);
    return options;
  };
  CLI::App& verb = add_verb<std::string>(app, "diagnose", "whether to believe a fit; exit code 3 if not", common,
                                         action, declare, diagnose_fit);
  details_of(verb).known_as = {"check", "diag", "diagnostics", "diagnosis", "verify", "rhat"};
  verb.footer("Example:\n  mbnn diagnose houses.mbnn");
}

void add_summary(CLI::App& app, Common& common, Action& action) {
  const auto declare = [](SummaryArguments& a) {
    OptionList options;
    options.group("Options");
    declare_fit(options, a.fit);
    options
        .add("no-loo", flag_value(a.loo, false),
             "leave out the prediction of each training row without that row, which takes a look at all draws and rows")
        .basic()
        .known_as({"loo", "waic", "psis", "elpd"});
    return options;
  };
  CLI::App& verb =
      add_verb<SummaryArguments>(app, "summary", "what was learnt: widths, noise, inputs, how far the chains are",
                                 common, action, declare, summarise_fit);
  details_of(verb).known_as = {"summarize", "summarise", "info",   "show", "print",
                               "describe",  "inspect",   "status", "view", "loo"};
  verb.footer("Example:\n  mbnn summary houses.mbnn");
}

}  // namespace mbnn::app
