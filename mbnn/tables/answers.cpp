#include "mbnn/tables/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mbnn/core/error.h"
#include "mbnn/core/special.h"
#include "mbnn/judge/mixture.h"

namespace mbnn {

namespace {

constexpr std::uint64_t kRowStreams = std::uint64_t{1} << 40;  // above those of chains; each row has one of its own

// Significant digits of numbers near `mean` that differ by something like `sd`: of a time in seconds, all.
int digits_beside(double mean, double sd) {
  const double ratio = std::abs(mean) / sd;
  return ratio > 1e4 ? std::min(17, 5 + static_cast<int>(std::ceil(std::log10(std::min(ratio, 1e15))))) : 9;
}

void refuse_of_classes(bool asked, const char* option, const char* what) {
  if (asked)
    throw OptionError(option, fmt::format(": the target is a class, which has no {}; the columns p_LABEL hold the "
                                          "probability of each",
                                          what));
}

template <class Values>
void require_different(Values values, const char* option) {
  std::ranges::sort(values);
  const auto twice = std::ranges::adjacent_find(values);
  if (twice != values.end()) throw OptionError(option, fmt::format(": {} is given twice", *twice));
}

}  // namespace

Answers::Answers(const FittedModel& fitted, AnswerOptions options)
    : options_(std::move(options)), draw_count_(fitted.draw_count()) {
  require_different(options_.quantiles, "quantiles");
  require_different(options_.above, "above");
  for (const double p : options_.quantiles)
    require_option(p > 0 && p < 1, "quantiles", p, "must lie between 0 and 1, both excluded");
  for (const double c : options_.above) require_option(std::isfinite(c), "above", c, "must be finite");
  if (fitted.encoding.task() == Task::classification) {
    refuse_of_classes(!options_.quantiles.empty(), "quantiles", "quantiles");
    refuse_of_classes(!options_.above.empty(), "above", "order");
    refuse_of_classes(options_.samples > 0, "samples", "numbers to draw");
    add_class_columns(fitted.encoding.labels());
    return;
  }
  add_number_columns();
  ascending_.resize(options_.quantiles.size());
  std::iota(ascending_.begin(), ascending_.end(), std::size_t{0});
  std::ranges::sort(ascending_, {}, [&](std::size_t i) { return options_.quantiles[i]; });
  seed_ = options_.seed.value_or(fitted.configuration.seed);
  if (options_.samples > 0) choose_draws(draw_count_, seed_);
}

void Answers::add_number_columns() {
  columns_ = {{"mean", true}, {"sd"}, {"lower", true}, {"upper", true}};
  if (options_.parts) columns_.insert(columns_.end(), {{"sd_function"}, {"sd_noise"}});
  for (const double p : options_.quantiles) columns_.push_back({fmt::format("q{:.12g}", 100 * p), true});
  for (const double c : options_.above) columns_.push_back({fmt::format("above_{:.12g}", c)});
  for (std::size_t i = 0; i < options_.samples; ++i) columns_.push_back({fmt::format("s{}", i + 1), true});
}

void Answers::add_class_columns(const std::vector<std::string>& labels) {
  for (const auto& label : labels) columns_.push_back({"p_" + label});
  if (!options_.parts) return;
  for (const auto& label : labels) columns_.push_back({"sd_" + label});
}

// Every draw has its turn before any comes again: a sample of the posterior without the chance of choosing from it.
void Answers::choose_draws(std::size_t draws, std::uint64_t seed) {
  require_option(draws > 0, "samples", options_.samples, "the fit has no draws yet");
  Rng rng(seed, kRowStreams - 1);
  std::vector<std::size_t> order(draws);
  while (draws_.size() < options_.samples) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = draws; i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
    const std::size_t taken = std::min(draws, options_.samples - draws_.size());
    draws_.insert(draws_.end(), order.begin(), order.begin() + static_cast<std::ptrdiff_t>(taken));
  }
}

// Each is exact to a small part of the sd. That those of nearly equal levels never cross is then only a matter of
// taking them in order.
void Answers::add_quantiles(const RowPrediction& row, std::vector<double>& values) const {
  const std::size_t first = values.size();
  values.resize(first + ascending_.size());
  double least = -kInfinity;
  for (const std::size_t i : ascending_)
    values[first + i] = least =
        std::max(least, mixture_quantile(options_.quantiles[i], row.means, row.sds, row.weights));
}

void Answers::add_samples(const RowPrediction& row, std::vector<double>& values) const {
  Rng rng(seed_, kRowStreams + row.row);
  const bool outliers = row.means.size() > draw_count_;
  for (const std::size_t draw : draws_) {
    std::size_t part = draw;
    if (outliers) {
      const std::size_t other = draw + draw_count_;
      if (rng.uniform() * (row.weights[draw] + row.weights[other]) < row.weights[other]) part = other;
    }
    values.push_back(row.means[part] + row.sds[part] * rng.normal());
  }
}

Answer Answers::answer(const RowPrediction& row) const {
  Answer answer;
  auto& values = answer.values;
  if (row.means.empty()) {
    const auto& p = row.probabilities;
    answer.label = static_cast<int>(std::ranges::max_element(p) - p.begin());
    values.assign(p.begin(), p.end());
    if (options_.parts) values.insert(values.end(), row.probability_sds.begin(), row.probability_sds.end());
    return answer;
  }
  const double mean = mixture_mean(row.means, row.sds, row.weights);
  const double sd = mixture_sd(row.means, row.sds, row.weights);
  if (!std::isfinite(mean + sd)) {
    values.assign(columns_.size(), std::numeric_limits<double>::quiet_NaN());
    return answer;
  }
  answer.digits = digits_beside(mean, sd);
  const double tail = (1 - options_.interval) / 2;
  values = {mean, sd, mixture_quantile(tail, row.means, row.sds, row.weights),
            mixture_quantile(1 - tail, row.means, row.sds, row.weights)};
  if (options_.parts) {  // sd^2 is the variance of the means and the mean of the variances
    double function = 0, noise = 0;
    for (std::size_t t = 0; t < row.means.size(); ++t) {
      const double share = row.weights.empty() ? 1 / static_cast<double>(row.means.size()) : row.weights[t];
      function += share * (row.means[t] - mean) * (row.means[t] - mean);
      noise += share * row.sds[t] * row.sds[t];
    }
    values.insert(values.end(), {std::sqrt(function), std::sqrt(noise)});
  }
  add_quantiles(row, values);
  // In the mirror image, where a small probability keeps its digits.
  if (!options_.above.empty()) {
    std::vector<double> mirrored(row.means.begin(), row.means.end());
    for (double& m : mirrored) m = -m;
    for (const double c : options_.above) values.push_back(mixture_cdf(-c, mirrored, row.sds, row.weights));
  }
  add_samples(row, values);
  return answer;
}

}  // namespace mbnn
