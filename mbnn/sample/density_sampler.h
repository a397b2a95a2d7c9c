// Draws from a density of one's own: NUTS or HMC in double precision, step size and metric found in a warm-up.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "mbnn/sample/adapt.h"
#include "mbnn/sample/nuts.h"

namespace mbnn {

struct DensitySamplerOptions {
  enum class Kind { nuts, hmc } kind = Kind::nuts;
  std::size_t warmup = 1000, draws = 1000;
  double target_accept = 0.8;
  std::size_t max_depth = 10;       // of NUTS: at most 2^10 gradients a draw
  std::size_t leapfrog_steps = 30;  // of HMC
  // Throws InputError.
  void check() const;
};

struct DensityDraws {
  std::vector<std::vector<double>> positions;
  double step_size = 0;
  std::vector<double> inverse_mass;  // about the variance of each coordinate
  double accept_probability = 0;     // a mean over the draws
  std::size_t divergences = 0, gradients = 0;
};

// Turns a function f(position, gradient), which returns the log density and writes its gradient, into a density.
template <class Function>
class FunctionDensity {
 public:
  explicit FunctionDensity(Function function) : function_(std::move(function)) {}
  double log_density(std::span<const double> position) {
    scratch_.resize(position.size());
    return function_(position, std::span<double>(scratch_));
  }
  double log_density_and_gradient(std::span<const double> position, std::span<double> gradient) {
    return function_(position, gradient);
  }
  void gradient(std::span<const double> position, std::span<double> gradient) { function_(position, gradient); }

 private:
  Function function_;
  std::vector<double> scratch_;
};

// The variance of each coordinate, learnt in windows that double (Stan's scheme): the first eighth of the warm-up, at
// least 20 iterations, and the last twelfth serve the step size alone.
class WindowedMetric {
 public:
  WindowedMetric(std::size_t coordinates, std::size_t warmup);
  // After warm-up iteration `iteration`, from 0. True if a window has ended and inverse_mass() is new.
  bool learn(std::size_t iteration, std::span<const double> position);
  const std::vector<double>& inverse_mass() const { return inverse_mass_; }

 private:
  std::size_t begin_, end_, length_, next_;
  double count_ = 0;
  std::vector<double> mean_, squares_, inverse_mass_;
};

// One chain from `start`, where the density must be finite. Several chains: several starts and generators (seed, 0),
// (seed, 1), ...; convergence() judges them.
template <WeightDensity<double> D>
DensityDraws sample_density(D& density, std::vector<double> start, const DensitySamplerOptions& options, Rng& rng) {
  options.check();
  BasicNuts<double> nuts;
  BasicHmc<double> hmc;
  WindowedMetric metric(start.size(), options.warmup);
  const double at_start = density.log_density(start);
  require(std::isfinite(at_start), "start", at_start, "the log density must be finite where a chain begins");
  DualAveraging step(0.1, options.target_accept);
  DensityDraws result;
  for (std::size_t i = 0; i < options.warmup + options.draws; ++i) {
    const bool warming_up = i < options.warmup;
    const double size = warming_up ? step.step_size() : step.averaged_step_size();
    const TrajectoryInfo info = options.kind == DensitySamplerOptions::Kind::nuts
                                    ? nuts.step(density, start, metric.inverse_mass(), size, options.max_depth, rng)
                                    // The jitter keeps a trajectory from closing on itself.
                                    : hmc.step(density, start, metric.inverse_mass(),
                                               size * (0.8 + 0.4 * rng.uniform()), options.leapfrog_steps, rng);
    result.gradients += info.steps + 1;
    if (warming_up) {
      step.update(info.accept_probability);
      if (metric.learn(i, start)) step = DualAveraging(step.averaged_step_size(), options.target_accept);
      continue;
    }
    result.positions.push_back(start);
    result.accept_probability += info.accept_probability / static_cast<double>(options.draws);
    result.divergences += info.diverged;
  }
  result.step_size = step.averaged_step_size();
  result.inverse_mass = metric.inverse_mass();
  return result;
}

}  // namespace mbnn
