#include "mbnn/tables/explain/importance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mbnn/core/error.h"
#include "mbnn/judge/mixture.h"

namespace mbnn {

namespace {

constexpr std::uint64_t kShuffleStreams = std::uint64_t{1} << 42;

}  // namespace

double log_score(const FittedModel& fitted, const Dataset& data, std::size_t threads) {
  const Encoding& encoding = fitted.encoding;
  double sum = 0;
  Predictive(fitted).for_each_row(
      data, threads,
      [&](const RowPrediction& row) {
        if (encoding.task() == Task::classification)
          return std::log(row.probabilities[static_cast<std::size_t>(data.labels[row.row])]);
        const double y = encoding.target_mean() + encoding.target_sd() * static_cast<double>(data.y[row.row]);
        return mixture_log_density(y, row.means, row.sds, row.weights);
      },
      [&](std::size_t, double score) { sum += score; });
  return sum / static_cast<double>(data.rows);
}

std::vector<Importance> importance(const ColumnFunction& function, const Dataset& data, std::size_t shuffles,
                                   std::uint64_t seed) {
  require(shuffles >= 2, "shuffles", shuffles, "must be at least 2");
  const double whole = log_score(function.fitted(), data, function.threads());
  std::vector<Importance> result;
  std::vector<std::size_t> order(data.rows);
  for (std::size_t c = 0; c < function.columns().size(); ++c) {
    Rng rng(seed, kShuffleStreams + c);
    double sum = 0, squares = 0;
    for (std::size_t s = 0; s < shuffles; ++s) {
      std::iota(order.begin(), order.end(), std::size_t{0});
      for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
      Dataset shuffled = data;
      for (std::size_t row = 0; row < data.rows; ++row) function.put(c, data, order[row], shuffled, row);
      const double loss = whole - log_score(function.fitted(), shuffled, function.threads());
      sum += loss;
      squares += loss * loss;
    }
    const double n = static_cast<double>(shuffles), mean = sum / n;
    result.push_back({c, mean, std::sqrt(std::max(0.0, squares / n - mean * mean) / (n - 1))});
  }
  std::ranges::stable_sort(result, std::greater(), &Importance::loss);
  return result;
}

}  // namespace mbnn
