#include "mbnn/sample/adapt.h"

#include <algorithm>
#include <cmath>

namespace mbnn {

DualAveraging::DualAveraging(double initial, double target)
    : target_(target), centre_(std::log(10 * initial)), step_size_(initial), averaged_(initial) {}

void DualAveraging::update(double accept_probability) {
  constexpr double gamma = 0.05, offset = 10, kappa = 0.75;
  ++count_;
  const double rate = 1 / (count_ + offset);
  error_sum_ += rate * (target_ - accept_probability - error_sum_);
  const double log_step = centre_ - error_sum_ * std::sqrt(count_) / gamma;
  const double weight = std::pow(count_, -kappa);
  averaged_ = std::exp(weight * log_step + (1 - weight) * std::log(averaged_));
  step_size_ = std::exp(log_step);
}

void DualAveraging::restore(const Numbers& n) {
  target_ = n.target;
  centre_ = n.centre;
  step_size_ = n.step_size;
  averaged_ = n.averaged;
  error_sum_ = n.error_sum;
  count_ = n.count;
}

namespace {

// Calls visit(group, first weight, past the last weight) for each run of weights with the same group.
template <class Visit>
void for_each_run(const Shape& shape, Visit visit) {
  std::size_t at = 0, group = 0;
  for (std::size_t l = 0; l < shape.affine_maps(); ++l) {
    const std::size_t in = shape.widths[l], out = shape.widths[l + 1];
    if (l == 0) {
      for (std::size_t k = 0; k < in; ++k, at += out) visit(group++, at, at + out);
    } else {
      visit(group++, at, at + in * out);
      at += in * out;
    }
    visit(group++, at, at + out);
    at += out;
  }
}

}  // namespace

void GroupMetric::reset(std::size_t inputs, std::size_t affine_maps) {
  squares_.assign(inputs + 1 + 2 * (affine_maps - 1), 1.0);
  count_ = 0;
}

void GroupMetric::learn(const Shape& shape, std::span<const float> gradient, double noise_variance) {
  ++count_;
  const double rate = std::max(1 / count_, 0.01);
  for_each_run(shape, [&](std::size_t group, std::size_t first, std::size_t last) {
    double sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += static_cast<double>(gradient[i]) * gradient[i];
    const double mean = sum / static_cast<double>(last - first) * noise_variance;
    if (std::isfinite(mean)) squares_[group] += rate * (mean - squares_[group]);
  });
}

void GroupMetric::inverse_mass(const Shape& shape, double noise_variance, std::vector<float>& result) const {
  result.resize(shape.size());
  const double floor = 1e-6 * *std::max_element(squares_.begin(), squares_.end()) + 1e-30;
  for_each_run(shape, [&](std::size_t group, std::size_t first, std::size_t last) {
    const float value = static_cast<float>(noise_variance / std::max(squares_[group], floor));
    std::fill(result.begin() + static_cast<std::ptrdiff_t>(first), result.begin() + static_cast<std::ptrdiff_t>(last),
              value);
  });
}

void GroupMetric::restore(std::vector<double> groups, double count) {
  squares_ = std::move(groups);
  count_ = count;
}

}  // namespace mbnn
