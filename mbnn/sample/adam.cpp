#include "mbnn/sample/adam.h"

#include <cmath>
#include <numbers>

#include "mbnn/core/error.h"

namespace mbnn {

namespace {

// The change of a value, up to its sign, by the means of its gradient. Means that started at 0 are too small by known
// shares. In double they are divided by these, as in the paper; in float, where values are many, the rate and one
// factor take them in. The two round differently, and stored fits have the bits of each.
template <class Real>
class AdamChange;

template <>
class AdamChange<double> {
 public:
  explicit AdamChange(const AdamMove& move)
      : rate_(move.rate),
        mean_share_(1 - std::pow(0.9, static_cast<double>(move.step))),
        square_share_(1 - std::pow(0.999, static_cast<double>(move.step))) {}
  double operator()(double mean, double square) const {
    return rate_ * (mean / mean_share_) / (std::sqrt(square / square_share_) + 1e-8);
  }

 private:
  double rate_, mean_share_, square_share_;
};

template <>
class AdamChange<float> {
 public:
  explicit AdamChange(const AdamMove& move)
      : rate_(static_cast<float>(move.rate / (1 - std::pow(0.9, static_cast<double>(move.step))))),
        factor_(static_cast<float>(1 / (1 - std::pow(0.999, static_cast<double>(move.step))))) {}
  float operator()(float mean, float square) const { return rate_ * mean / (std::sqrt(square * factor_) + 1e-8f); }

 private:
  float rate_, factor_;
};

// Takes the gradient g into the means.
template <class Real>
void take_in(Real g, Real& mean, Real& square) {
  mean += static_cast<Real>(0.1) * (g - mean);
  square += static_cast<Real>(0.001) * (g * g - square);
}

template <class Real>
void prepare(BasicAdamMemory<Real>& memory, std::size_t gradient, std::size_t values) {
  if (memory.mean.empty()) {
    memory.mean.assign(values, 0);
    memory.square.assign(values, 0);
  }
  if (memory.mean.size() != values || memory.square.size() != values || gradient != values)
    throw Error("the memory of Adam or the gradient is not that of these values");
}

}  // namespace

void adam_move(const AdamMove& move, std::span<const float> gradient, std::span<float> values, AdamMemory& memory) {
  prepare(memory, gradient.size(), values.size());
  const AdamChange<float> change(move);
  float *mean = memory.mean.data(), *square = memory.square.data(), *value = values.data();
  const float* by = gradient.data();
  const auto count = static_cast<std::ptrdiff_t>(values.size());
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    take_in(by[i], mean[i], square[i]);
    value[i] -= change(mean[i], square[i]);
  }
}

template <class Real>
void adam_climb(const AdamMove& move, std::span<const float> gradient, Real scale, std::span<float> values,
                BasicAdamMemory<Real>& memory) {
  prepare(memory, gradient.size(), values.size());
  const AdamChange<Real> change(move);
  for (std::size_t i = 0; i < values.size(); ++i) {
    take_in(gradient[i] * scale, memory.mean[i], memory.square[i]);
    values[i] += static_cast<float>(change(memory.mean[i], memory.square[i]));
  }
}

template void adam_climb(const AdamMove&, std::span<const float>, float, std::span<float>, BasicAdamMemory<float>&);
template void adam_climb(const AdamMove&, std::span<const float>, double, std::span<float>, BasicAdamMemory<double>&);

double cosine_rate(double rate, double progress) {
  constexpr double least = 0.01;
  return rate * (least + (1 - least) * 0.5 * (1 + std::cos(std::numbers::pi * progress)));
}

}  // namespace mbnn
