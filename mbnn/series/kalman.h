// The Kalman filter, its log-likelihood, the smoother, and the joint draw of a whole path of states; all in double.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mbnn/series/moving_covariance.h"
#include "mbnn/series/state_space.h"

namespace mbnn {

// A series is a value a step, NaN where nothing was observed.
using Series = std::span<const double>;

// Mean and covariance of the next state given what was observed so far, moved forward a step at a time.
// The covariance of few states is a plain matrix. As long as nothing is missing it converges, and once a step leaves it
// as it was, it is not computed again. That of many states stands in a frame that moves with them.
class Belief {
 public:
  static constexpr std::size_t kFew = 16;  // states

  explicit Belief(const StateSpace& space);

  const std::vector<double>& mean() const { return mean_; }
  double component(std::size_t c) const;  // the mean of its value
  double component_variance(std::size_t c) const;
  std::vector<double> covariance_with(std::size_t component) const;  // of each state with the component's value
  std::vector<double> signal_covariance() const;                     // of each state with Z a
  double signal() const { return space_->observe(mean_.data()); }    // the mean of Z a
  double signal_variance() const;                                    // its variance, without noise
  // Takes in an observation of this step; returns how far it was from what was expected.
  double observe(double y);
  double variance() const { return variance_; }  // of the observation that was taken in last, before it was
  // To the next step.
  void advance();

 private:
  friend class Gains;
  void update_covariance();  // after an observation, by gain_ and variance_
  void advance_covariance();
  const StateSpace* space_;
  std::optional<MovingCovariance> moving_;  // of many states; else covariance_, row after row
  std::vector<double> mean_, covariance_, gain_, before_;
  double variance_ = 0;
  bool observed_ = false, settled_ = false;
};

// What the filter needs of the covariances, which do not depend on the values observed: computed once, they serve any
// number of series with the same pattern of missing values.
class Gains {
 public:
  Gains(const StateSpace& space, Series pattern);

  std::size_t steps() const { return variance_.size(); }
  const StateSpace& space() const { return *space_; }
  bool observed(std::size_t t) const { return variance_[t] > 0; }
  double variance(std::size_t t) const { return variance_[t]; }  // of the innovation; 0 where nothing is observed
  const double* gain(std::size_t t) const { return gain_.data() + t * space_->states(); }

  // y_t minus its mean given the past; 0 where nothing is observed.
  std::vector<double> innovations(Series y) const;
  double log_likelihood(std::span<const double> innovations) const;
  // Mean of each state given the whole series, one step after another (Durbin and Koopman's fast state smoother).
  std::vector<double> smooth(std::span<const double> innovations) const;

 private:
  const StateSpace* space_;
  std::vector<double> variance_, gain_;
};

// In one pass, without keeping the gains.
double log_likelihood(const StateSpace& space, Series y);

// A draw of the whole path given the series: Durbin and Koopman (2002). An unconditional path and its own series are
// drawn, and the path is moved by the smoothed difference of the two series. O(steps).
std::vector<double> draw_path(const Gains& gains, Series y, Rng& rng);

// Means and variances of the components' values, and of their sum, given the whole series.
struct Smoothed {
  std::vector<double> mean, variance;                // [step * components + component]
  std::vector<double> signal_mean, signal_variance;  // [step]
};
Smoothed smooth_components(const StateSpace& space, Series y);  // O(steps * states) of memory

}  // namespace mbnn
