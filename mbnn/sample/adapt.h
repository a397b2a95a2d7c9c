// Adaptation of the step size and of a diagonal metric that outlives births and deaths.
#pragma once

#include <span>
#include <vector>

#include "mbnn/net/shape.h"

namespace mbnn {

// Nesterov's dual averaging on log(step size), as Hoffman and Gelman (2014).
class DualAveraging {
 public:
  explicit DualAveraging(double initial = 0.1, double target = 0.8);
  void update(double accept_probability);
  double step_size() const { return step_size_; }          // while adapting
  double averaged_step_size() const { return averaged_; }  // afterwards

  struct Numbers {
    double target, centre, step_size, averaged, error_sum, count;
  };
  Numbers numbers() const { return {target_, centre_, step_size_, averaged_, error_sum_, count_}; }
  void restore(const Numbers& numbers);

 private:
  double target_, centre_, step_size_, averaged_, error_sum_ = 0, count_ = 0;
};

// The masses of the weights. A weight's mass may not depend on which node carries it, or a birth would have to account
// for it: so one mass for each input of the first layer and each kind of edge above. All masses are proportional to the
// precision of the noise, which stays fixed while weights move: when the noise falls during warm-up, the dynamics slow
// down with it and the step size keeps its meaning.
class GroupMetric {
 public:
  // One group for each input, one for the first biases, and two (edges, biases) for each further affine map.
  void reset(std::size_t inputs, std::size_t affine_maps);
  // Moves the groups' mean squared gradient, in units of the noise precision, towards that of this gradient.
  void learn(const Shape& shape, std::span<const float> gradient, double noise_variance);
  // 1 / mass of each weight.
  void inverse_mass(const Shape& shape, double noise_variance, std::vector<float>& result) const;

  const std::vector<double>& groups() const { return squares_; }
  double count() const { return count_; }
  void restore(std::vector<double> groups, double count);

 private:
  std::vector<double> squares_;
  double count_ = 0;
};

}  // namespace mbnn
