// Means of functions of a state over a run, in standard errors from 100 batch means: longer than the chain remembers.
#pragma once

#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace mbnn {

class BatchMeans {
 public:
  explicit BatchMeans(std::size_t functions) : batches_(functions, std::vector<double>(kBatches)) {}
  // Of an iteration from 0 to length - 1, where length is a multiple of 100.
  void add(std::size_t iteration, std::size_t length, std::span<const double> values) {
    for (std::size_t f = 0; f < values.size(); ++f)
      batches_[f][iteration * kBatches / length] += values[f] * kBatches / static_cast<double>(length);
  }
  double mean(std::size_t f) const { return std::accumulate(batches_[f].begin(), batches_[f].end(), 0.0) / kBatches; }
  double standard_error(std::size_t f) const {
    double squares = 0;
    for (double v : batches_[f]) squares += (v - mean(f)) * (v - mean(f));
    return std::sqrt(squares / (kBatches - 1) / kBatches);
  }
  double z(std::size_t f, double expected) const { return (mean(f) - expected) / standard_error(f); }

 private:
  static constexpr std::size_t kBatches = 100;
  std::vector<std::vector<double>> batches_;
};

}  // namespace mbnn
