#include "mbnn/tables/explain/attribution.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mbnn/core/error.h"
#include "mbnn/tables/training_rows.h"

namespace mbnn {

namespace {

constexpr std::uint64_t kOrderStream = std::uint64_t{1} << 43;

// Background row b turns into the row, column by column: in an order, and in the reverse of it.
struct Paths {
  Dataset steps;                                 // of each path: its background row, then a step a column
  std::vector<std::vector<std::size_t>> orders;  // by path
};

Paths make_paths(const ColumnFunction& function, const Dataset& data, std::size_t row, const Dataset& background,
                 std::uint64_t seed) {
  const std::size_t columns = function.columns().size();
  Rng rng(seed, kOrderStream);
  std::vector<std::size_t> order(columns), starts;
  std::iota(order.begin(), order.end(), std::size_t{0});
  Paths paths;
  for (std::size_t b = 0; b < background.rows; ++b) {
    for (std::size_t i = columns; i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
    paths.orders.push_back(order);
    paths.orders.emplace_back(order.rbegin(), order.rend());
    starts.insert(starts.end(), 2 * (columns + 1), b);
  }
  paths.steps = subset(background, starts);
  for (std::size_t p = 0; p < paths.orders.size(); ++p)
    for (std::size_t step = 1; step <= columns; ++step)
      for (std::size_t joined = 0; joined < step; ++joined)
        function.put(paths.orders[p][joined], data, row, paths.steps, p * (columns + 1) + step);
  return paths;
}

}  // namespace

Attribution attribution(const ColumnFunction& function, const Dataset& data, std::size_t row, const Dataset& background,
                        double level, std::uint64_t seed) {
  require(row < data.rows, "row", row + 1, fmt::format("must be one of {} rows", data.rows));
  require(background.rows > 0, "background rows", background.rows, "must be at least 1");
  const std::size_t columns = function.columns().size(), length = columns + 1;
  const Paths paths = make_paths(function, data, row, background, seed);
  const auto values = function.by_draw(paths.steps);
  const double draws = static_cast<double>(values.size()), count = static_cast<double>(paths.orders.size());

  std::vector<std::vector<double>> of_draws(columns, std::vector<double>(values.size()));
  std::vector<std::vector<double>> of_background(columns, std::vector<double>(background.rows));
  Attribution result{0, 0, {}};
  for (std::size_t d = 0; d < values.size(); ++d)
    for (std::size_t p = 0; p < paths.orders.size(); ++p) {
      const double* const path = values[d].data() + p * length;
      result.mean += path[0] / count / draws;
      result.prediction += path[columns] / count / draws;
      for (std::size_t step = 1; step < length; ++step) {
        const std::size_t column = paths.orders[p][step - 1];
        const double change = path[step] - path[step - 1];
        of_draws[column][d] += change / count;
        of_background[column][p / 2] += change / 2 / draws;
      }
    }
  for (std::size_t c = 0; c < columns; ++c) {
    const auto& of_rows = of_background[c];
    const double n = static_cast<double>(of_rows.size());
    const double mean = std::accumulate(of_rows.begin(), of_rows.end(), 0.0) / n;
    double squares = 0;
    for (const double v : of_rows) squares += (v - mean) * (v - mean);
    result.shares.push_back({c, function.cell(c, data, row), band_of(std::move(of_draws[c]), level),
                             n > 1 ? std::sqrt(squares / (n - 1) / n) : std::nan("")});
  }
  std::ranges::stable_sort(result.shares, std::greater(), [](const ColumnShare& s) { return std::abs(s.value.mean); });
  return result;
}

}  // namespace mbnn
