#include "mbnn/series/kalman.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace mbnn {

namespace {

// A change of the covariance, relative to its largest entry, that is rounding and no more.
constexpr double kSettled = 1e-15;

}  // namespace

Belief::Belief(const StateSpace& space) : space_(&space), mean_(space.states(), 0.0), gain_(space.states()) {
  if (space.states() > kFew) {
    moving_.emplace(space);
    return;
  }
  covariance_.assign(space.states() * space.states(), 0.0);
  for (std::size_t i = 0; i < space.states(); ++i) covariance_[i * space.states() + i] = space.initial_variance()[i];
}

double Belief::signal_variance() const {
  if (moving_) return moving_->signal_variance();
  const std::size_t m = mean_.size();
  double sum = 0;
  for (std::size_t c = 0; c < space_->components(); ++c)
    for (const std::size_t e : space_->entries(c)) sum += space_->observe(&covariance_[e * m]);
  return sum;
}

double Belief::component(std::size_t c) const {
  double sum = 0;
  for (const std::size_t e : space_->entries(c)) sum += mean_[e];
  return sum;
}

double Belief::component_variance(std::size_t c) const {
  const std::vector<double> with = covariance_with(c);
  double sum = 0;
  for (const std::size_t e : space_->entries(c)) sum += with[e];
  return sum;
}

std::vector<double> Belief::covariance_with(std::size_t component) const {
  if (moving_) return moving_->covariance_with(component);
  const std::size_t m = mean_.size();
  std::vector<double> sum(m, 0.0);
  for (const std::size_t e : space_->entries(component))
    for (std::size_t i = 0; i < m; ++i) sum[i] += covariance_[e * m + i];
  return sum;
}

std::vector<double> Belief::signal_covariance() const {
  std::vector<double> sum(mean_.size());
  if (moving_) {
    moving_->signal_covariance(sum);
    return sum;
  }
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = space_->observe(&covariance_[i * sum.size()]);
  return sum;
}

// gain = P Z' / F before the step, so that the filtered mean is mean + gain * innovation.
void Belief::update_covariance() {
  const std::size_t m = mean_.size();
  if (moving_) {
    moving_->signal_covariance(gain_);
    variance_ = moving_->signal_variance() + space_->noise();
    for (double& g : gain_) g /= variance_;
    moving_->observe(variance_);
    return;
  }
  for (std::size_t i = 0; i < m; ++i) gain_[i] = space_->observe(&covariance_[i * m]);
  variance_ = space_->observe(gain_.data()) + space_->noise();
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j) covariance_[i * m + j] -= gain_[i] * gain_[j] / variance_;
  for (double& g : gain_) g /= variance_;
}

double Belief::observe(double y) {
  const double innovation = y - signal();
  if (!settled_) update_covariance();
  observed_ = true;
  for (std::size_t i = 0; i < mean_.size(); ++i) mean_[i] += gain_[i] * innovation;
  return innovation;
}

void Belief::advance() {
  space_->advance(mean_.data());
  if (moving_) return moving_->advance();
  const bool observed = std::exchange(observed_, false);
  if (settled_ && observed) return;
  advance_covariance();
  settled_ = false;
  if (observed && before_.size() == covariance_.size()) {
    double change = 0, size = 0;
    for (std::size_t i = 0; i < covariance_.size(); ++i) {
      change = std::max(change, std::abs(covariance_[i] - before_[i]));
      size = std::max(size, std::abs(covariance_[i]));
    }
    settled_ = change <= kSettled * size;
  }
  before_ = covariance_;
}

void Belief::advance_covariance() {
  const std::size_t m = mean_.size();
  space_->advance(covariance_.data(), m);  // T P
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < i; ++j) std::swap(covariance_[i * m + j], covariance_[j * m + i]);
  space_->advance(covariance_.data(), m);  // T (T P)' = T P T'
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < i; ++j)  // rounding must not drive the two halves apart
      covariance_[i * m + j] = covariance_[j * m + i] = 0.5 * (covariance_[i * m + j] + covariance_[j * m + i]);
    covariance_[i * m + i] += space_->state_variance()[i];
  }
}

Gains::Gains(const StateSpace& space, Series pattern) : space_(&space) {
  const std::size_t m = space.states();
  variance_.resize(pattern.size());
  gain_.resize(pattern.size() * m);
  Belief belief(space);
  for (std::size_t t = 0; t < pattern.size(); ++t) {
    if (!std::isnan(pattern[t])) {
      belief.observe(0);
      variance_[t] = belief.variance_;
      std::copy(belief.gain_.begin(), belief.gain_.end(), gain_.begin() + static_cast<std::ptrdiff_t>(t * m));
    }
    belief.advance();
  }
}

std::vector<double> Gains::innovations(Series y) const {
  const std::size_t m = space_->states();
  std::vector<double> result(steps(), 0.0), a(m, 0.0);
  for (std::size_t t = 0; t < steps(); ++t) {
    if (observed(t)) {
      result[t] = y[t] - space_->observe(a.data());
      const double* k = gain(t);
      for (std::size_t i = 0; i < m; ++i) a[i] += k[i] * result[t];
    }
    space_->advance(a.data());
  }
  return result;
}

double Gains::log_likelihood(std::span<const double> innovations) const {
  double sum = 0;
  for (std::size_t t = 0; t < steps(); ++t)
    if (observed(t))
      sum -= 0.5 * (std::log(2 * std::numbers::pi * variance_[t]) + innovations[t] * innovations[t] / variance_[t]);
  return sum;
}

// Backwards, with u = T' r_t:  r_{t-1} = u + Z' (v_t / F_t - gain' u).  Forwards: the smoothed state at time 0 is
// P_0 r_{-1}, and that at t + 1 is T times the one at t, plus Q r_t.
std::vector<double> Gains::smooth(std::span<const double> innovations) const {
  const std::size_t m = space_->states(), n = steps();
  std::vector<double> r((n + 1) * m, 0.0);  // r[t] at (t + 1) m; the last is 0
  for (std::size_t t = n; t-- > 0;) {
    double* u = r.data() + t * m;
    std::copy_n(u + m, m, u);
    space_->advance_back(u);
    if (!observed(t)) continue;
    const double* k = gain(t);
    double inner = innovations[t] / variance_[t];
    for (std::size_t i = 0; i < m; ++i) inner -= k[i] * u[i];
    space_->add_observed(u, inner);
  }
  std::vector<double> path(n * m);
  std::vector<double> a(m, 0.0);
  for (std::size_t t = 0; t < n; ++t) {
    const auto& variance = t == 0 ? space_->initial_variance() : space_->state_variance();
    if (t > 0) space_->advance(a.data());
    for (std::size_t i = 0; i < m; ++i) path[t * m + i] = a[i] += variance[i] * r[t * m + i];
  }
  return path;
}

double log_likelihood(const StateSpace& space, Series y) {
  Belief belief(space);
  double sum = 0;
  for (const double value : y) {
    if (!std::isnan(value)) {
      const double innovation = belief.observe(value);
      sum -= 0.5 * (std::log(2 * std::numbers::pi * belief.variance()) + innovation * innovation / belief.variance());
    }
    belief.advance();
  }
  return sum;
}

std::vector<double> draw_path(const Gains& gains, Series y, Rng& rng) {
  const StateSpace& space = gains.space();
  const std::size_t m = space.states(), n = gains.steps();
  std::vector<double> path = space.simulate(n, rng), difference(n, 0.0);
  const double noise_sd = std::sqrt(space.noise());
  for (std::size_t t = 0; t < n; ++t)
    if (gains.observed(t)) difference[t] = y[t] - space.observe(&path[t * m]) - noise_sd * rng.normal();
  const std::vector<double> correction = gains.smooth(gains.innovations(difference));
  for (std::size_t i = 0; i < path.size(); ++i) path[i] += correction[i];
  return path;
}

// V_t = P_t - P_t N_{t-1} P_t with N_{t-1} = (T'-step of N_t) as r above, but for covariances; only the entries that
// the components need are formed.
Smoothed smooth_components(const StateSpace& space, Series y) {
  const std::size_t m = space.states(), n = y.size(), count = space.components();
  const Gains gains(space, y);
  const std::vector<double> path = gains.smooth(gains.innovations(y));
  std::vector<double> covariances(n * count * m);  // of the components' values with the states, before observing
  Belief belief(space);
  for (std::size_t t = 0; t < n; ++t) {
    for (std::size_t c = 0; c < count; ++c)
      std::ranges::copy(belief.covariance_with(c),
                        covariances.begin() + static_cast<std::ptrdiff_t>((t * count + c) * m));
    if (gains.observed(t)) belief.observe(y[t]);
    belief.advance();
  }
  Smoothed result;
  result.mean.resize(n * count);
  result.variance.resize(n * count);
  result.signal_mean.resize(n);
  result.signal_variance.resize(n);
  // N is kept as a symmetric matrix; a step is (I - Z' gain') T' N T (I - gain Z) + Z' Z / F.
  std::vector<double> N(m * m, 0.0), row(m);
  auto step_rows = [&](bool observed, const double* k) {
    for (std::size_t i = 0; i < m; ++i) {
      double* x = &N[i * m];
      space.advance_back(x);
      if (!observed) continue;
      double inner = 0;
      for (std::size_t j = 0; j < m; ++j) inner += k[j] * x[j];
      space.add_observed(x, -inner);
    }
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < i; ++j) std::swap(N[i * m + j], N[j * m + i]);
  };
  for (std::size_t t = n; t-- > 0;) {
    const bool observed = gains.observed(t);
    step_rows(observed, gains.gain(t));
    step_rows(observed, gains.gain(t));
    if (observed)
      for (std::size_t c = 0; c < count; ++c)
        for (const std::size_t e : space.entries(c)) space.add_observed(&N[e * m], 1 / gains.variance(t));
    auto quadratic = [&](const double* p) {  // p' N p
      double sum = 0;
      for (std::size_t i = 0; i < m; ++i) {
        double inner = 0;
        for (std::size_t j = 0; j < m; ++j) inner += N[i * m + j] * p[j];
        sum += p[i] * inner;
      }
      return sum;
    };
    std::fill(row.begin(), row.end(), 0.0);
    for (std::size_t c = 0; c < count; ++c) {
      const double* p = &covariances[(t * count + c) * m];
      for (std::size_t i = 0; i < m; ++i) row[i] += p[i];
      double value = 0, variance = 0;
      for (const std::size_t e : space.entries(c)) {
        value += path[t * m + e];
        variance += p[e];
      }
      result.mean[t * count + c] = value;
      result.variance[t * count + c] = variance - quadratic(p);
    }
    result.signal_mean[t] = space.observe(&path[t * m]);
    result.signal_variance[t] = space.observe(row.data()) - quadratic(row.data());
  }
  return result;
}

}  // namespace mbnn
