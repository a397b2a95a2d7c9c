#include "mbnn/sample/batch_acceptance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_set>

#include "mbnn/core/error.h"

namespace mbnn {
namespace {

std::vector<double> evaluate(const RowDifferences& differences, std::span<const std::size_t> rows) {
  std::vector<double> values(rows.size());
  if (!rows.empty()) differences(rows, values);
  return values;
}

double sum_of(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

// NaN is not above anything: the move is rejected.
bool passes(double log_ratio, Rng& rng) { return log_ratio > std::log(rng.uniform()); }

void require_batch(std::size_t batch, std::size_t rows, std::size_t least) {
  require(batch >= least, "batch", batch, fmt::format("must be at least {}", least));
  require(batch <= rows, "batch", batch, fmt::format("must be at most the number of rows, {}", rows));
}

// The number of arrivals of a Poisson process in [0, mean]. Each of them costs a row, so counting them costs little.
std::size_t draw_poisson(double mean, Rng& rng) {
  std::size_t count = 0;
  for (double time = rng.exponential(); time < mean; time += rng.exponential()) ++count;
  return count;
}

}  // namespace

// Floyd's algorithm.
std::vector<std::size_t> draw_batch(std::size_t rows, std::size_t count, Rng& rng) {
  std::vector<std::size_t> batch;
  batch.reserve(count);
  std::unordered_set<std::size_t> seen;
  for (std::size_t last = rows - count; last < rows; ++last) {
    const std::size_t row = rng.below(last + 1);
    batch.push_back(seen.insert(row).second ? row : last);
    if (batch.back() == last) seen.insert(last);
  }
  return batch;
}

BatchAcceptance accept_plain(const MoveRatios& ratios, std::size_t rows, std::size_t batch,
                             const RowDifferences& differences, Rng& rng) {
  require_batch(batch, rows, 1);
  const auto values = evaluate(differences, draw_batch(rows, batch, rng));
  const double scale = static_cast<double>(rows) / static_cast<double>(batch);
  return {passes(ratios.prior + ratios.proposal + scale * sum_of(values), rng), batch};
}

// With X normal of mean a and variance s², E min(1, exp(X - s²/2)) over the same with mean -a is exp(a): half the
// variance is what makes a noisy log ratio keep the balance of the ratio without noise.
double mhbt_change(std::span<const double> differences, std::size_t rows, double temperature) {
  const double n = static_cast<double>(rows), m = static_cast<double>(differences.size());
  const double mean = sum_of(differences) / m;
  if (m == n) return n * mean / temperature;
  double squares = 0;
  for (double value : differences) squares += (value - mean) * (value - mean);
  // Of n / T times the batch's mean; the factor at the end is that of draws without replacement.
  const double variance = n / temperature * (n / temperature) * squares / (m - 1) / m * (1 - m / n);
  return n * mean / temperature - variance / 2;
}

Verdict compare_sum(std::span<const double> differences, std::size_t rows, double threshold, double deviations) {
  const double n = static_cast<double>(rows), m = static_cast<double>(differences.size());
  const double mean = sum_of(differences) / m, distance = n * mean - threshold;
  if (!(std::abs(distance) < std::numeric_limits<double>::infinity())) return Verdict::below;
  if (m >= n) return distance > 0 ? Verdict::above : Verdict::below;
  double squares = 0;
  for (double value : differences) squares += (value - mean) * (value - mean);
  const double error = n * std::sqrt(squares / (m - 1) / m * (1 - m / n));
  if (!(std::abs(distance) > deviations * error)) return Verdict::undecided;
  return distance > 0 ? Verdict::above : Verdict::below;
}

BatchAcceptance accept_mhbt(const MoveRatios& ratios, std::size_t rows, const MhbtOptions& options,
                            const RowDifferences& differences, Rng& rng) {
  require_batch(options.batch, rows, 2);
  const double temperature =
      options.temperature == 0 ? static_cast<double>(rows) / static_cast<double>(options.batch) : options.temperature;
  require(temperature >= 1, "temperature", temperature, "must be at least 1");
  const auto values = evaluate(differences, draw_batch(rows, options.batch, rng));
  const double log_ratio = ratios.prior / temperature + ratios.proposal + mhbt_change(values, rows, temperature);
  return {passes(log_ratio, rng), options.batch};
}

TunaMh::TunaMh(std::vector<double> bounds, double chi) : bounds_(std::move(bounds)), cumulative_(bounds_), chi_(chi) {
  require(!bounds_.empty(), "rows", bounds_.size(), "must be at least 1");
  require(chi > 0 && std::isfinite(chi), "chi", chi, "must be above 0");
  for (double b : bounds_) require(b >= 0 && std::isfinite(b), "bound of a row", b, "must be finite and at least 0");
  std::partial_sum(cumulative_.begin(), cumulative_.end(), cumulative_.begin());
}

double TunaMh::expected_rows(double distance) const {
  const double reach = cumulative_.back() * distance;
  return reach + chi_ * reach * reach;
}

std::size_t TunaMh::draw_row(Rng& rng) const {
  const double ticket = rng.uniform() * cumulative_.back();
  const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end(), ticket);
  return std::min(static_cast<std::size_t>(found - cumulative_.begin()), bounds_.size() - 1);
}

// Row i is drawn Poisson(a_i + (b_i - Δ_i) / 2) times, b_i its bound and a_i = chi C d b_i, from draws at the rate
// a_i + b_i of which each is kept with the ratio of the two.
BatchAcceptance TunaMh::accept(const MoveRatios& ratios, double distance, const RowDifferences& differences,
                               Rng& rng) const {
  require(distance >= 0, "distance", distance, "must be at least 0");
  const double expected = expected_rows(distance);
  const bool all = !(expected < static_cast<double>(bounds_.size()));
  std::vector<std::size_t> rows(all ? bounds_.size() : draw_poisson(expected, rng));
  if (all)
    std::iota(rows.begin(), rows.end(), std::size_t{0});
  else
    for (auto& row : rows) row = draw_row(rng);
  const auto values = evaluate(differences, rows);

  double log_ratio = ratios.prior + ratios.proposal;
  if (all) log_ratio += sum_of(values);
  const double extra = chi_ * cumulative_.back() * distance;  // a_i / b_i
  for (std::size_t k = 0; k < rows.size() && !all; ++k) {
    const double b = bounds_[rows[k]] * distance, relative = values[k] / b;
    if (relative > 1 + 1e-6 || relative < -1 - 1e-6)
      throw SamplerError(fmt::format("TunaMH: the log-likelihood of row {} changed by {}, more than its bound {}",
                                     rows[k], values[k], b));
    const double up = extra + (1 + relative) / 2, down = extra + (1 - relative) / 2;
    if (!(rng.uniform() * (extra + 1) >= down)) log_ratio += std::log(up / down);
  }
  return {passes(log_ratio, rng), rows.size()};
}

}  // namespace mbnn
