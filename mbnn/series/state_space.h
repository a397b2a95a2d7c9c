// The linear Gaussian state space form of trend and seasons: how states move, and what an observation sees of them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mbnn/core/rng.h"
#include "mbnn/series/structure.h"

namespace mbnn {

// y_t = Z a_t + N(0, noise),  a_{t+1} = T a_t + N(0, Q),  a_0 ~ N(0, P_0).
// Z picks one entry of each component, or one of each wave; Q and P_0 are diagonal, and T is known by what it does:
// every operation costs O(states), none of them a matrix product.
class StateSpace {
 public:
  StateSpace(const SeriesOptions& options, const SeriesParameters& parameters);

  std::size_t states() const { return initial_.size(); }
  std::size_t components() const { return seasons_.size() + 1; }
  Trend trend() const { return trend_; }
  std::size_t trend_entries() const { return trend_ == Trend::linear ? 2 : 1; }  // the first ones
  double damping() const { return damping_; }
  const std::vector<Season>& seasons() const { return seasons_; }
  // The entries of the state that add up to the component's value, and where the component begins.
  std::span<const std::size_t> entries(std::size_t component) const {
    return std::span(observed_).subspan(picked_[component], picked_[component + 1] - picked_[component]);
  }
  std::size_t first(std::size_t component) const { return observed_[picked_[component]]; }
  // A wave's turn in a step, for each of a season: (cosine, sine).
  struct Turn {
    double cosine, sine;
  };
  std::span<const Turn> turns(std::size_t season) const { return turns_[season]; }
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
  std::vector<Season> seasons_;
  std::vector<std::size_t> observed_, picked_;  // entries, and where those of each component begin among them
  std::vector<std::vector<Turn>> turns_;
  std::vector<double> initial_, disturbed_;
  mutable std::vector<double> sum_;  // scratch of advance()
};

}  // namespace mbnn
