// Slice steps of lambda and of the weights' scale against their laws, summed up on a grid from the model's equations.
#include "mbnn/tables/scalar_moves.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "tests/support/batch_means.h"

namespace mbnn {
namespace {

// Means of x and x² under a density on (low, high) that is nothing at both ends.
std::array<double, 2> moments(double low, double high, const std::function<double(double)>& log_density) {
  double total = 0, first = 0, second = 0;
  constexpr int steps = 4000;
  for (int i = 1; i < steps; ++i) {
    const double x = low + (high - low) * i / steps, p = std::exp(log_density(x));
    total += p, first += p * x, second += p * x * x;
  }
  return {first / total, second / total};
}

// |z| < 4 for each of two moments: false alarm 6e-5. A fault has to move a mean by a tenth of the law's deviation to
// count, which is ten standard errors here.
void expect_moments(const std::function<double()>& next, const std::array<double, 2>& expected) {
  constexpr std::size_t length = 40000;
  BatchMeans found(2);
  for (std::size_t i = 0; i < length; ++i) {
    const double x = next(), values[] = {x, x * x};
    found.add(i, length, values);
  }
  for (std::size_t f = 0; f < 2; ++f)
    EXPECT_LT(std::abs(found.z(f, expected[f])), 4) << found.mean(f) << " for " << expected[f];
  const double sd = std::sqrt(expected[1] - expected[0] * expected[0]);
  EXPECT_LT(found.standard_error(0), 0.01 * sd);
}

// p(lambda | widths) is the log-normal hyperprior times exp(-(lambda log n)^5 s²) / sum_k exp(-(lambda log n)^5 k²) for
// each layer. Seen to fail without the sums.
TEST(ScalarMoves, LambdaFollowsItsLawGivenTheWidths) {
  Model model;
  model.architecture = {1, {5, 3}, 1};
  model.width_prior = {.lambda = 0.3, .learn_lambda = true, .spread = 0.25, .rows = 20};
  State state;
  state.gates.active = {{0, 1, 2}, {1}};
  state.lambda = 0.3;
  const auto log_density = [](double x) {
    const double z = (x - std::log(0.3)) / 0.25, c = std::pow(std::exp(x) * std::log(20.0), 5);
    double sum = -0.5 * z * z;
    for (const auto& [width, cap] : {std::pair(3, 5), std::pair(1, 3)}) {
      double normaliser = 0;  // all terms over exp(-c), which would be nothing far out
      for (int k = 1; k <= cap; ++k) normaliser += std::exp(-c * (k * k - 1));
      sum -= c * (width * width - 1) + std::log(normaliser);
    }
    return sum;
  };
  Rng rng(3);
  expect_moments(
      [&] {
        draw_lambda(model, state, rng);
        return std::log(state.lambda);
      },
      moments(-4, 1, log_density));
}

// p(scale | weights) is the log-normal hyperprior times the weights' densities: normal ones, and Cauchy's.
// Seen to fail without the hyperprior.
TEST(ScalarMoves, TheScaleFollowsItsLawGivenTheWeights) {
  const std::vector<float> weights{0.5f, -1.5f, 0.1f, 2.5f};
  for (const auto family : {WeightPrior::Family::normal, WeightPrior::Family::cauchy}) {
    Model model;
    model.weight_prior = {.family = family, .scale = 0.3, .learn_scale = true, .spread = 0.5};
    State state;
    state.weights = weights;
    state.weight_scale = 0.3;
    const auto log_density = [&](double x) {
      const double z = (x - std::log(0.3)) / 0.5;
      double sum = -0.5 * z * z;
      for (const double w : weights) {
        const double u = w / std::exp(x);
        sum += family == WeightPrior::Family::normal ? -x - 0.5 * u * u : -x - std::log1p(u * u);
      }
      return sum;
    };
    Rng rng(4);
    expect_moments(
        [&] {
          draw_weight_scale(model, state, rng);
          return std::log(state.weight_scale);
        },
        moments(-5, 5, log_density));
  }
}

}  // namespace
}  // namespace mbnn
