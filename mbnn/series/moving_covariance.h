// The covariance of many states in a frame that moves with the seasons: there waves do not turn and patterns do not
// shift, so that a step of time costs O(states), and an observation one symmetric update of rank one.
#pragma once

#include <cstddef>
#include <vector>

#include "mbnn/series/state_space.h"

namespace mbnn {

// Of the states a_t given what was observed before t, at the step where it stands.
//
// In the frame the waves of a season are b_t = T^-t a_t, a walk at random that is seen through cosines and sines of t.
// A season of P free values is its last P values, each in the slot of its step modulo P; the value of the next step
// goes into the slot of the one P steps before, of which it differs by -W + disturbance, where W is the sum of all
// slots. After each step W is that step's disturbance, so its covariance with the states needs no sum.
class MovingCovariance {
 public:
  explicit MovingCovariance(const StateSpace& space);

  double signal_variance() const;
  void signal_covariance(std::vector<double>& states) const;         // P Z', as the state has its entries
  std::vector<double> covariance_with(std::size_t component) const;  // P Z' of that component alone
  // Takes in an observation of this step, of which the innovation has that variance; then to the next step.
  void observe(double variance);
  void advance();

 private:
  struct Block {
    std::size_t first = 0, size = 0;  // in the frame
    std::size_t slot = 0;             // of free values: that of this step
    std::vector<double> sum;          // of free values: covariance of W with each entry of the frame
  };
  double* row(std::size_t i) { return matrix_.data() + i * stride_; }
  const double* row(std::size_t i) const { return matrix_.data() + i * stride_; }
  void add_row(std::size_t i, std::vector<double>& to) const;
  void move_trend();
  void move_pattern(std::size_t season);
  void turn_waves();
  void as_states(const std::vector<double>& frame, std::vector<double>& states) const;

  StateSpace space_;
  std::size_t waves_ = 0;  // entries of waves: the first ones
  std::size_t level_ = 0;  // where the trend stands
  std::size_t size_ = 0, stride_ = 0;
  std::vector<Block> blocks_;   // by season
  std::vector<double> matrix_;  // symmetric
  std::vector<double> seen_;    // through what the waves are seen: z
  std::vector<double> gain_;    // P z of this step
  std::vector<double> taken_;   // what the observation takes: P z / sqrt(variance); 0 if there was none
  std::vector<double> disturbed_;
  std::size_t step_ = 0;
};

// P -= taken taken', then the sum of the first `waves` rows times `seen`, in one pass. `stride` is a multiple of 4.
struct CovarianceKernels {
  void (*update)(double* matrix, std::size_t size, std::size_t stride, const double* taken, std::size_t waves,
                 const double* seen, double* sum);
};
const CovarianceKernels& covariance_kernels();           // the fastest that this processor runs
const CovarianceKernels& baseline_covariance_kernels();  // the tests compare the two

}  // namespace mbnn
