// The no-U-turn sampler with multinomial choice of the next state (Betancourt 2017); knows nothing of networks.
#pragma once

#include <limits>
#include <utility>

#include "mbnn/core/special.h"
#include "mbnn/sample/hmc.h"

namespace mbnn {

template <class Real>
class BasicNuts {
 public:
  // Moves `weights` by one trajectory and leaves the density's law invariant.
  template <WeightDensity<Real> D>
  TrajectoryInfo step(D& density, std::vector<Real>& weights, std::span<const Real> inverse_mass, double step_size,
                      std::size_t max_depth, Rng& rng) {
    require_masses(weights.size(), inverse_mass.size());
    inverse_mass_ = inverse_mass;
    step_size_ = step_size;
    Point start{weights, std::vector<Real>(weights.size()), std::vector<Real>(weights.size())};
    L::draw_momentum(inverse_mass, start.momentum, rng);
    start_energy_ = -density.log_density_and_gradient(start.position, start.gradient) +
                    L::kinetic_energy(inverse_mass, start.momentum);
    accept_sum_ = 0;
    leaves_ = 0;
    diverged_ = false;
    // The trajectory: its two ends, the sum of all momenta, and the log of the sum of its points' weights.
    Point left = start, right = start;
    std::vector<double> momentum_sum(start.momentum.begin(), start.momentum.end());
    double log_weight = 0;
    TrajectoryInfo info;
    for (std::size_t depth = 0; depth < max_depth; ++depth) {
      const bool forward = rng.coin();
      Point& end = forward ? right : left;
      Tree tree = build(density, end, depth, forward ? 1 : -1, rng);
      if (!tree.valid) break;
      end = std::move(tree.far);
      // Biased progressive choice: the new half wins with probability min(1, weight ratio).
      if (std::log(rng.uniform()) < tree.log_weight - log_weight) {
        weights = std::move(tree.proposal);
        info.accepted = true;
      }
      const double both[] = {log_weight, tree.log_weight};
      log_weight = log_sum_exp(both);
      for (std::size_t i = 0; i < momentum_sum.size(); ++i) momentum_sum[i] += tree.momentum_sum[i];
      if (turns(momentum_sum, left.momentum, right.momentum)) break;
    }
    info.steps = leaves_;
    info.diverged = diverged_;
    info.accept_probability = leaves_ == 0 ? 0 : accept_sum_ / static_cast<double>(leaves_);
    last_gradient_ = std::move(right.gradient);
    return info;
  }

  std::span<const Real> last_gradient() const { return last_gradient_; }

 private:
  using L = Leapfrog<Real>;
  struct Point {
    std::vector<Real> position, momentum, gradient;
  };
  struct Tree {
    bool valid = false;
    Point far;                        // the end away from the start of the trajectory
    std::vector<Real> near_momentum;  // at the other end
    std::vector<Real> proposal;
    std::vector<double> momentum_sum;
    double log_weight = 0;
  };

  bool turns(std::span<const double> sum, std::span<const Real> one, std::span<const Real> other) const {
    double a = 0, b = 0;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      a += sum[i] * inverse_mass_[i] * one[i];
      b += sum[i] * inverse_mass_[i] * other[i];
    }
    return !(a > 0 && b > 0);
  }

  template <WeightDensity<Real> D>
  Tree leaf(D& density, const Point& from, int direction) {
    Tree tree;
    tree.far = from;
    Point& p = tree.far;
    const Real e = static_cast<Real>(direction * step_size_);
    L::kick(p.momentum, p.gradient, e / 2);
    L::drift(p.position, inverse_mass_, p.momentum, e);
    const double log_density = density.log_density_and_gradient(p.position, p.gradient);
    L::kick(p.momentum, p.gradient, e / 2);
    const double error = -log_density + L::kinetic_energy(inverse_mass_, p.momentum) - start_energy_;
    ++leaves_;
    tree.valid = error < kDivergence;
    if (!tree.valid) {
      diverged_ = true;
      return tree;
    }
    accept_sum_ += std::exp(std::min(0.0, -error));
    tree.log_weight = -error;
    tree.near_momentum = p.momentum;
    tree.proposal = p.position;
    tree.momentum_sum.assign(p.momentum.begin(), p.momentum.end());
    return tree;
  }

  // 2^depth further points from `from` on. Invalid if any part of it turns or diverges.
  template <WeightDensity<Real> D>
  Tree build(D& density, const Point& from, std::size_t depth, int direction, Rng& rng) {
    if (depth == 0) return leaf(density, from, direction);
    Tree near = build(density, from, depth - 1, direction, rng);
    if (!near.valid) return near;
    Tree far = build(density, near.far, depth - 1, direction, rng);
    if (!far.valid) return far;
    const double both[] = {near.log_weight, far.log_weight};
    const double log_weight = log_sum_exp(both);
    if (std::log(rng.uniform()) < far.log_weight - log_weight) near.proposal = std::move(far.proposal);
    for (std::size_t i = 0; i < near.momentum_sum.size(); ++i) near.momentum_sum[i] += far.momentum_sum[i];
    near.log_weight = log_weight;
    near.far = std::move(far.far);
    near.valid = !turns(near.momentum_sum, near.near_momentum, near.far.momentum);
    return near;
  }

  std::span<const Real> inverse_mass_;
  double step_size_ = 0, start_energy_ = 0, accept_sum_ = 0;
  std::size_t leaves_ = 0;
  bool diverged_ = false;
  std::vector<Real> last_gradient_;
};

using Nuts = BasicNuts<float>;

}  // namespace mbnn
