// The linear Gaussian state space form of trend and seasons: how states move, and what an observation sees of them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mbnn/core/rng.h"
#include "mbnn/series/structure.h"

namespace mbnn {

// y_t = Z a_t + N(0, noise),  a_{t+1} = T a_t + N(0, Q),  a_0 ~ N(0, P_0).
// Z picks one entry of each component, Q and P_0 are diagonal, and T is known by what it does: every operation costs
// O(states), none of them a matrix product.
class StateSpace {
 public:
  StateSpace(const SeriesOptions& options, const SeriesParameters& parameters);

  std::size_t states() const { return initial_.size(); }
  std::size_t components() const { return observed_.size(); }
  // The entry of the state that is the component's value.
  std::size_t entry(std::size_t component) const { return observed_[component]; }
  double noise() const { return noise_; }
  const std::vector<double>& initial_variance() const { return initial_; }  // the diagonal of P_0
  const std::vector<double>& state_variance() const { return disturbed_; }  // the diagonal of Q

  double observe(const double* a) const {
    double sum = 0;
    for (std::size_t i : observed_) sum += a[i];
    return sum;
  }
  // a += value Z'
  void add_observed(double* a, double value) const {
    for (std::size_t i : observed_) a[i] += value;
  }
  // a <- T a. With a width, each entry is a row of that many numbers: T times a matrix.
  void advance(double* a, std::size_t width = 1) const;
  // a <- T' a
  void advance_back(double* a) const;

  // States for each of `steps` times, one after another, from their prior.
  std::vector<double> simulate(std::size_t steps, Rng& rng) const;

 private:
  Trend trend_;
  double damping_, noise_;
  std::vector<std::size_t> seasons_, observed_;
  std::vector<double> initial_, disturbed_;
  mutable std::vector<double> sum_;  // scratch of advance()
};

}  // namespace mbnn
