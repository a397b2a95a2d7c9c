#include "mbnn/tables/explain/effects.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "mbnn/core/error.h"
#include "mbnn/tables/training_rows.h"

namespace mbnn {

namespace {

using ByDraw = std::vector<std::vector<double>>;  // [draw][point]

constexpr Band kNoBand{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN(),
                       std::numeric_limits<double>::quiet_NaN()};

// Rows whose cells stand for all: at the quantiles of numbers, each once; one for a missing cell.
struct Grid {
  std::vector<std::size_t> rows;  // in the order of their cells, the missing one last
  std::size_t known = 0;          // that are numbers
};

Grid ordered_grid(const ColumnFunction& function, std::size_t column, const Dataset& data, std::size_t points) {
  const std::size_t input = function.columns()[column].first;
  const auto value = [&](std::size_t row) { return data.x[row * data.inputs + input]; };
  std::vector<std::size_t> known;
  std::optional<std::size_t> missing;
  for (std::size_t row = 0; row < data.rows; ++row)
    if (function.missing(column, data, row))
      missing = row;
    else
      known.push_back(row);
  std::ranges::stable_sort(known, {}, value);
  Grid grid;
  for (std::size_t i = 0; i < points && !known.empty(); ++i) {
    const std::size_t row = known[i * (known.size() - 1) / (points - 1)];
    if (grid.rows.empty() || value(row) > value(grid.rows.back())) grid.rows.push_back(row);
  }
  grid.known = grid.rows.size();
  if (missing) grid.rows.push_back(*missing);
  return grid;
}

Grid category_grid(const ColumnFunction& function, std::size_t column, const Dataset& data, std::size_t points) {
  std::map<std::string, std::vector<std::size_t>> rows;
  for (std::size_t row = 0; row < data.rows; ++row) rows[function.cell(column, data, row)].push_back(row);
  std::vector<std::pair<std::size_t, std::size_t>> by_count;  // count, row
  for (const auto& [cell, list] : rows) by_count.emplace_back(list.size(), list.front());
  std::ranges::stable_sort(by_count, std::greater(), &std::pair<std::size_t, std::size_t>::first);
  Grid grid;
  for (std::size_t i = 0; i < std::min(points, by_count.size()); ++i) grid.rows.push_back(by_count[i].second);
  return grid;
}

Grid grid_of(const ColumnFunction& function, std::size_t column, const Dataset& data, std::size_t points) {
  require(points >= 2, "points", points, "must be at least 2");
  return function.columns()[column].ordered ? ordered_grid(function, column, data, points)
                                            : category_grid(function, column, data, points);
}

// One point after another, so that only one copy of the rows stands in memory.
template <class Put>
ByDraw partial_dependence(const ColumnFunction& function, const Dataset& data, std::size_t points, Put put) {
  ByDraw result(function.fitted().draw_count(), std::vector<double>(points));
  Dataset changed = data;
  for (std::size_t p = 0; p < points; ++p) {
    for (std::size_t row = 0; row < data.rows; ++row) put(p, changed, row);
    const auto values = function.by_draw(changed);
    for (std::size_t d = 0; d < values.size(); ++d)
      result[d][p] = std::accumulate(values[d].begin(), values[d].end(), 0.0) / static_cast<double>(data.rows);
  }
  return result;
}

// Between two neighbours of the grid, each row that lies there goes from one end to the other.
ByDraw local_effects(const ColumnFunction& function, std::size_t column, const Dataset& data, const Grid& grid) {
  const std::size_t input = function.columns()[column].first;
  const auto value = [&](std::size_t row) { return data.x[row * data.inputs + input]; };
  std::vector<std::size_t> rows, steps;
  for (std::size_t row = 0; row < data.rows; ++row) {
    if (function.missing(column, data, row)) continue;
    std::size_t step = 1;
    while (step + 1 < grid.known && value(row) > value(grid.rows[step])) ++step;
    rows.push_back(row);
    steps.push_back(step);
  }
  Dataset low = subset(data, rows), high = low;
  std::vector<double> count(grid.known);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    function.put(column, data, grid.rows[steps[i] - 1], low, i);
    function.put(column, data, grid.rows[steps[i]], high, i);
    ++count[steps[i]];
  }
  const auto below = function.by_draw(low), above = function.by_draw(high);
  ByDraw result(below.size(), std::vector<double>(grid.known));
  for (std::size_t d = 0; d < result.size(); ++d) {
    std::vector<double> step(grid.known);
    for (std::size_t i = 0; i < rows.size(); ++i) step[steps[i]] += (above[d][i] - below[d][i]) / count[steps[i]];
    std::partial_sum(step.begin(), step.end(), result[d].begin());
    double mean = 0;  // a row lies, in the mean, half-way between the ends of its step
    for (std::size_t k = 1; k < grid.known; ++k)
      mean += count[k] * (result[d][k - 1] + result[d][k]) / 2 / static_cast<double>(rows.size());
    for (double& v : result[d]) v -= mean;
  }
  return result;
}

Band band_at(const ByDraw& values, std::size_t point, double level) {
  std::vector<double> of_draws;
  for (const auto& draw : values) of_draws.push_back(draw[point]);
  return band_of(std::move(of_draws), level);
}

}  // namespace

Effect effect_of(const ColumnFunction& function, std::size_t column, const Dataset& data,
                 const EffectOptions& options) {
  const Grid grid = grid_of(function, column, data, options.points);
  const ByDraw partial = partial_dependence(
      function, data, grid.rows.size(),
      [&](std::size_t p, Dataset& to, std::size_t row) { function.put(column, data, grid.rows[p], to, row); });
  const ByDraw local = grid.known >= 2 ? local_effects(function, column, data, grid) : ByDraw{};
  Effect effect{column, {}};
  for (std::size_t p = 0; p < grid.rows.size(); ++p)
    effect.points.push_back({function.cell(column, data, grid.rows[p]), band_at(partial, p, options.level),
                             !local.empty() && p < grid.known ? band_at(local, p, options.level) : kNoBand});
  return effect;
}

PairEffect pair_effect_of(const ColumnFunction& function, std::size_t first, std::size_t second, const Dataset& data,
                          const EffectOptions& options) {
  const Grid one = grid_of(function, first, data, options.pair_points),
             other = grid_of(function, second, data, options.pair_points);
  const std::size_t width = other.rows.size(), points = one.rows.size() * width;
  const ByDraw partial = partial_dependence(function, data, points, [&](std::size_t p, Dataset& to, std::size_t row) {
    function.put(first, data, one.rows[p / width], to, row);
    function.put(second, data, other.rows[p % width], to, row);
  });
  PairEffect effect{first, second, 0, {}};
  // Rows and columns of the surface less their means: what is left is what they do together.
  std::vector<double> by_first(one.rows.size()), by_second(width);
  double whole = 0;
  for (std::size_t p = 0; p < points; ++p) {
    effect.points.push_back({function.cell(first, data, one.rows[p / width]),
                             function.cell(second, data, other.rows[p % width]), band_at(partial, p, options.level)});
    const double mean = effect.points.back().partial.mean;
    by_first[p / width] += mean / static_cast<double>(width);
    by_second[p % width] += mean / static_cast<double>(one.rows.size());
    whole += mean / static_cast<double>(points);
  }
  for (std::size_t p = 0; p < points; ++p) {
    const double together = effect.points[p].partial.mean - by_first[p / width] - by_second[p % width] + whole;
    effect.strength += together * together / static_cast<double>(points);
  }
  effect.strength = std::sqrt(effect.strength);
  return effect;
}

}  // namespace mbnn
