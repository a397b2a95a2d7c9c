#include "mbnn/tables/columns/target_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "mbnn/tables/columns/row_selection.h"

namespace mbnn {
namespace {

constexpr std::size_t most_rows = 5000;     // that are looked at, evenly spread
constexpr std::size_t least_pairs = 20;     // of fewer, chance finds copies
constexpr std::size_t rows_of_a_value = 5;  // on average, so that agreement is no accident
constexpr double nearly_all = 0.999;        // of the variance, or of the rows

struct Pair {
  double input, target;
};

// Places in order of size; equal values share theirs.
std::vector<double> ranks(std::span<const Pair> pairs, double Pair::*which) {
  std::vector<std::size_t> order(pairs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return pairs[i].*which; });
  std::vector<double> rank(pairs.size());
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    while (last < order.size() && pairs[order[last]].*which == pairs[order[first]].*which) ++last;
    for (std::size_t i = first; i < last; ++i) rank[order[i]] = static_cast<double>(first + last - 1) / 2;
  }
  return rank;
}

double squared_correlation(std::span<const double> a, std::span<const double> b) {
  const auto n = static_cast<double>(a.size());
  const double mean_a = std::reduce(a.begin(), a.end()) / n, mean_b = std::reduce(b.begin(), b.end()) / n;
  double aa = 0, ab = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return aa > 0 && bb > 0 ? ab / aa * (ab / bb) : 0;
}

bool same_order(std::span<const Pair> pairs) {
  constexpr double nearly_one = 0.99999;
  return squared_correlation(ranks(pairs, &Pair::input), ranks(pairs, &Pair::target)) >= nearly_one;
}

// A copy in another unit, or on another scale: the order is the same. A few pairs tell most columns that are none.
bool ascends_with_target(std::span<const Pair> pairs) {
  std::vector<double> input, target;
  for (const Pair& pair : pairs) {
    input.push_back(pair.input);
    target.push_back(pair.target);
  }
  if (squared_correlation(input, target) >= nearly_all) return true;
  constexpr std::size_t few = 100;
  std::vector<Pair> some;
  for (std::size_t i = 0; i < few; ++i) some.push_back(pairs[i * pairs.size() / few]);
  return same_order(some) && same_order(pairs);
}

// Each value of the input has one class, or targets that hardly differ.
bool value_tells_target(const std::vector<Pair>& pairs, Task task) {
  std::map<double, std::vector<double>> targets;
  for (const Pair& pair : pairs) {
    targets[pair.input].push_back(pair.target);
    if (targets.size() * rows_of_a_value > pairs.size()) return false;
  }
  if (targets.size() < 2) return false;
  std::size_t agreeing = 0;
  double within = 0, total = 0, all_mean = 0;
  for (const Pair& pair : pairs) all_mean += pair.target / static_cast<double>(pairs.size());
  for (auto& [value, group] : targets) {
    std::map<double, std::size_t> counts;
    double mean = 0;
    for (const double target : group) {
      ++counts[target];
      mean += target / static_cast<double>(group.size());
    }
    agreeing += std::ranges::max_element(counts, {}, [](const auto& c) { return c.second; })->second;
    for (const double target : group) {
      within += (target - mean) * (target - mean);
      total += (target - all_mean) * (target - all_mean);
    }
  }
  return task == Task::classification ? static_cast<double>(agreeing) >= nearly_all * static_cast<double>(pairs.size())
                                      : within <= (1 - nearly_all) * total;
}

}  // namespace

std::optional<std::string> target_copy(const Table& table, const Column& column, const Column& target, Task task,
                                       std::span<const std::size_t> rows) {
  const NumberCells target_number(table, target, "");
  const bool classes = task == Task::classification;
  const auto value_of = [](const Column& of, std::size_t row) {
    return of.kind == ColumnKind::categorical ? static_cast<double>(of.codes[row]) : of.numbers[row];
  };
  std::vector<Pair> pairs;
  const std::size_t chosen = std::min(rows.size(), most_rows);
  for (std::size_t i = 0; i < chosen; ++i) {
    const std::size_t row = rows[i * rows.size() / chosen];
    if (column.missing(row)) continue;
    pairs.push_back({value_of(column, row), classes ? value_of(target, row) : target_number(row)});
  }
  if (pairs.size() < least_pairs) return {};
  const bool ordered = column.kind != ColumnKind::categorical && !classes;
  if (!(ordered && ascends_with_target(pairs)) && !value_tells_target(pairs, task)) return {};
  return fmt::format(
      "'{}' tells the target '{}' all but exactly: if it is known only with the target, or made of it, "
      "leave it out with ignore {}",
      column.name, target.name, column.name);
}

}  // namespace mbnn
