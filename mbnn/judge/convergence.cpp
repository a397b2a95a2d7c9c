// Rank-normalised split R-hat and effective sample sizes; W and var+ are the within-chain and pooled variances.
#include "mbnn/judge/convergence.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "mbnn/core/error.h"
#include "mbnn/core/special.h"

namespace mbnn {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

using Chains = std::vector<std::vector<double>>;  // all of one length

double mean_of(std::span<const double> x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

double variance_of(std::span<const double> x) {
  const double mean = mean_of(x);
  double sum = 0;
  for (double value : x) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(x.size() - 1);
}

std::vector<double> pooled(const Chains& chains) {
  std::vector<double> all;
  all.reserve(chains.size() * chains.front().size());
  for (const auto& chain : chains) all.insert(all.end(), chain.begin(), chain.end());
  return all;
}

template <class Function>
Chains map(Chains chains, Function function) {
  for (auto& chain : chains)
    for (double& value : chain) value = function(value);
  return chains;
}

Chains split(const Chains& chains) {
  const auto half = static_cast<std::ptrdiff_t>(chains.front().size() / 2);
  Chains halves;
  for (const auto& chain : chains) {
    halves.emplace_back(chain.begin(), chain.begin() + half);
    halves.emplace_back(chain.end() - half, chain.end());
  }
  return halves;
}

bool is_constant(std::span<const double> x) {
  return std::all_of(x.begin(), x.end(), [&](double value) { return value == x.front(); });
}

// The quantile of type 7 (linear between order statistics), the default of R and numpy.
double sample_quantile(std::vector<double> x, double p) {
  std::sort(x.begin(), x.end());
  const double position = p * static_cast<double>(x.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, x.size() - 1);
  return x[below] + (position - static_cast<double>(below)) * (x[above] - x[below]);
}

// z = normal quantile of (rank - 3/8) / (S + 1/4), with the average rank for ties.
Chains rank_normalised(const Chains& chains) {
  std::vector<double> sorted = pooled(chains);
  std::sort(sorted.begin(), sorted.end());
  const double size = static_cast<double>(sorted.size());
  return map(chains, [&](double value) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
    const double rank = 0.5 * static_cast<double>((first - sorted.begin()) + 1 + (last - sorted.begin()));
    return normal_quantile((rank - 0.375) / (size + 0.25));
  });
}

// sqrt(var+ / W), for chains that are split and rank-normalised already. NaN if all values are equal.
double rhat_of(const Chains& chains) {
  if (is_constant(pooled(chains))) return not_a_number;
  // Said outright: the rounding of the means would leave within-chain variances of about 1e-33 instead of zero.
  if (std::all_of(chains.begin(), chains.end(), [](const auto& chain) { return is_constant(chain); })) return kInfinity;
  const double length = static_cast<double>(chains.front().size());
  std::vector<double> means, variances;
  for (const auto& chain : chains) {
    means.push_back(mean_of(chain));
    variances.push_back(variance_of(chain));
  }
  const double between = length * variance_of(means);
  const double within = mean_of(variances);
  return std::sqrt((length - 1 + between / within) / length);
}

// The autocorrelations of all chains, rho_t = 1 - (W - autocovariance_t) / var+, one lag at a time: Geyer's rule
// stops long before the last lag unless the chains hardly move, so that summing directly beats a Fourier transform.
class Autocorrelation {
 public:
  explicit Autocorrelation(const Chains& chains) : centred_(chains) {
    std::vector<double> means, variances;
    for (auto& chain : centred_) {
      means.push_back(mean_of(chain));
      variances.push_back(variance_of(chain));
      for (double& value : chain) value -= means.back();
    }
    const double length = static_cast<double>(chains.front().size());
    within_ = mean_of(variances);
    total_ = within_ * (length - 1) / length + variance_of(means);
  }

  double at(std::size_t lag) const {
    if (lag == 0) return 1;
    double sum = 0;
    for (const auto& chain : centred_)
      sum += std::inner_product(chain.begin() + static_cast<std::ptrdiff_t>(lag), chain.end(), chain.begin(), 0.0);
    // Divided by the length, not by the number of products: the biased estimate is the one that stays bounded.
    const double covariance = sum / static_cast<double>(centred_.size() * centred_.front().size());
    return 1 - (within_ - covariance) / total_;
  }

 private:
  Chains centred_;
  double within_ = 0, total_ = 0;
};

// S / tau for split chains, tau summed over pairs of lags while a pair is positive (Geyer's initial
// positive sequence), each pair at most the one before (initial monotone sequence). NaN if all values are equal.
double ess_of(const Chains& chains) {
  if (is_constant(pooled(chains))) return not_a_number;
  const std::size_t length = chains.front().size();
  const Autocorrelation autocorrelation(chains);

  double tau = -1;
  double even = 1;
  double pair = even + autocorrelation.at(1);
  double smallest_pair = kInfinity;
  for (std::size_t lag = 2; lag + 2 < length && pair > 0; lag += 2) {
    smallest_pair = std::min(smallest_pair, pair);
    tau += 2 * smallest_pair;
    even = autocorrelation.at(lag);
    pair = even + autocorrelation.at(lag + 1);
  }
  // Of the pair that ends the sum, the even lag alone still improves the estimate for antithetic chains.
  tau += std::max(even, 0.0);

  // Antithetic chains beat independent draws, but an estimate beyond S log10(S) is noise.
  const double size = static_cast<double>(chains.size() * length);
  return size / std::max(tau, 1 / std::log10(size));
}

// The ESS of the indicator x <= quantile, which tells how well that quantile is known.
double quantile_ess(const Chains& chains, double probability) {
  const double quantile = sample_quantile(pooled(chains), probability);
  return ess_of(split(map(chains, [&](double value) { return value <= quantile ? 1.0 : 0.0; })));
}

double folded_rhat(const Chains& halves) {
  const double median = sample_quantile(pooled(halves), 0.5);
  return rhat_of(rank_normalised(map(halves, [&](double value) { return std::abs(value - median); })));
}

Chains cut_to_shortest(std::span<const std::vector<double>> chains) {
  std::size_t length = chains.front().size();
  for (const auto& chain : chains) length = std::min(length, chain.size());
  Chains cut(chains.begin(), chains.end());
  for (auto& chain : cut) chain.resize(length);
  return cut;
}

}  // namespace

Convergence convergence(std::span<const std::vector<double>> unequal_chains) {
  require(!unequal_chains.empty(), "number of chains", unequal_chains.size(), "must be at least 1");
  const Chains chains = cut_to_shortest(unequal_chains);
  const std::vector<double> all = pooled(chains);

  Convergence result{not_a_number, not_a_number, not_a_number, not_a_number, not_a_number, not_a_number};
  if (all.empty()) return result;
  result.mean = mean_of(all);
  if (all.size() > 1) result.sd = std::sqrt(variance_of(all));
  const bool finite = std::all_of(all.begin(), all.end(), [](double value) { return std::isfinite(value); });
  if (!finite || chains.front().size() < 4) return result;

  const Chains halves = split(chains);
  const Chains normalised = rank_normalised(halves);
  // fmax and fmin take the number where the other is NaN: a two-valued quantity has nothing left to fold.
  result.rhat = std::fmax(rhat_of(normalised), folded_rhat(halves));
  result.ess_bulk = ess_of(normalised);
  result.ess_tail = std::fmin(quantile_ess(chains, 0.05), quantile_ess(chains, 0.95));
  result.mcse_mean = result.sd / std::sqrt(ess_of(halves));
  return result;
}

}  // namespace mbnn
