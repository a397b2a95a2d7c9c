#include "apps/mbnn/evaluation_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace mbnn::app {

namespace {

constexpr std::size_t kMostClasses = 12;  // of a confusion matrix on the screen

struct Score {
  const char* name;
  double value;
  std::string beside = "";
};

// An error in small units keeps its digits.
std::string number(double value) {
  if (std::isnan(value)) return "-";
  return std::abs(value) < 0.01 ? fmt::format("{:.4g}", value) : fmt::format("{:.4f}", value);
}

std::string beside_constant(double score, const std::optional<double>& constant) {
  return constant ? fmt::format("a constant: {}, skill {:.3f}", number(*constant), skill(score, *constant)) : "";
}

// Part of the constant's figures, if there are any.
template <class Metrics>
std::optional<double> part(const std::optional<Metrics>& metrics, double Metrics::*figure) {
  return metrics ? std::optional(*metrics.*figure) : std::nullopt;
}

std::vector<Score> number_figures(const Evaluation& e) {
  using M = RegressionMetrics;
  const M& m = e.regression;
  const auto& c = e.constant_regression;
  std::vector<Score> figures{{"rmse", m.rmse, beside_constant(m.rmse, part(c, &M::rmse))},
                             {"nll", m.nll, c ? "a constant: " + number(c->nll) : ""},
                             {"crps", m.crps, beside_constant(m.crps, part(c, &M::crps))},
                             {"coverage", m.coverage, fmt::format("of the {:g}% interval", 100 * e.level)},
                             {"interval", m.interval_score,
                              "its interval score; " + beside_constant(m.interval_score, part(c, &M::interval_score))},
                             {"mae", m.mae, beside_constant(m.mae, part(c, &M::mae))},
                             {"r2", e.r2}};
  if (!c) figures[4].beside = "its interval score";
  return figures;
}

std::vector<Score> class_figures(const Evaluation& e) {
  using M = ClassificationMetrics;
  const M& m = e.classification;
  const auto& c = e.constant_classification;
  return {{"accuracy", m.accuracy, c ? "always the most frequent class: " + number(c->accuracy) : ""},
          {"nll", m.nll, beside_constant(m.nll, part(c, &M::nll))},
          {"ece", m.ece},
          {"brier", m.brier, beside_constant(m.brier, part(c, &M::brier))},
          {"auc", e.auc, e.labels.size() > 2 ? "mean of each class against the rest" : "of " + e.labels.back()}};
}

void print_law(const Evaluation& e) {
  fmt::print("{:<9} {}   rows by tenth of the predictive law; right laws are as uneven with probability {:.2g}\n",
             "pit", fmt::join(e.pit.counts, " "), e.pit.p);
  fmt::print("\nquarters by prediction    rows  coverage  chance allows (99%)\n");
  for (const CoveragePart& part : e.quarters)
    fmt::print("{:>11.5g} {:>11.5g} {:>6}  {:>8.3f}  {:.3f} to {:.3f}{}\n", part.from, part.to, part.n, part.coverage,
               part.chance.low, part.chance.high,
               part.coverage < part.chance.low    ? "   too narrow here"
               : part.coverage > part.chance.high ? "   too wide here"
                                                  : "");
}

// Labels down, predicted labels across.
void print_confusion(const Evaluation& e) {
  if (e.labels.size() > kMostClasses) {
    fmt::print("the confusion matrix of {} classes is in the output of --json\n", e.labels.size());
    return;
  }
  std::size_t width = 7;
  for (const auto& label : e.labels) width = std::max(width, std::min<std::size_t>(label.size(), 16));
  fmt::print("\n{:>{}}  base rate  predicted\n{:>{}}           ", "class", width, "", width);
  for (const auto& label : e.labels) fmt::print("  {:>{}.16}", label, width);
  fmt::print("\n");
  for (std::size_t k = 0; k < e.labels.size(); ++k) {
    std::size_t count = 0;
    for (const std::size_t n : e.confusion[k]) count += n;
    fmt::print("{:>{}.16}  {:>9.4f}", e.labels[k], width, static_cast<double>(count) / static_cast<double>(e.rows()));
    for (const std::size_t n : e.confusion[k]) fmt::print("  {:>{}}", n, width);
    fmt::print("\n");
  }
}

std::vector<Score> figures_of(const Evaluation& e) {
  return e.task == Task::regression ? number_figures(e) : class_figures(e);
}

}  // namespace

std::string first_without_value(const Evaluation& e) {
  for (const Score& figure : figures_of(e)) {
    const std::string name = figure.name;
    if (name != "r2" && name != "auc" && !std::isfinite(figure.value)) return name;  // those need two targets
  }
  return "";
}

void print_evaluation(const Evaluation& e) {
  fmt::print("{:<9} {}\n", "rows", e.rows());
  for (const Score& f : figures_of(e))
    fmt::print("{:<9} {}{}\n", f.name, number(f.value), f.beside.empty() ? "" : "   (" + f.beside + ")");
  if (e.rows() == 0) return;
  e.task == Task::regression ? print_law(e) : print_confusion(e);
}

}  // namespace mbnn::app
