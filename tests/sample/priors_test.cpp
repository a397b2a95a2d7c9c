// The priors against numbers that were computed elsewhere, and laws that calibration on few rows cannot see.
#include "mbnn/sample/priors.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/kolmogorov.h"

namespace mbnn {
namespace {

// Precision first and weight given it, or weight first and precision given it: one joint law. Its margins alone would
// not tell a precision that forgets its weight. Caught when broken: a shape of the gamma law that is 1/2 too small, and
// precisions from their prior in place of those given the weight.
TEST(WeightPrior, PrecisionsAndWeightsHaveOneJointLaw) {
  const std::size_t draws = 20000;
  const double limit = 2.23 * std::sqrt(2.0 / draws);  // level 1e-4
  for (const WeightPrior& prior : {WeightPrior{.family = WeightPrior::Family::cauchy, .scale = 0.3},
                                   WeightPrior{.family = WeightPrior::Family::student, .scale = 2, .degrees = 3},
                                   WeightPrior{.family = WeightPrior::Family::normal, .scale = 0.5}}) {
    Rng rng(5, 0);
    struct Side {
      std::vector<double> weight, precision, product;
      void add(double w, double p) {
        weight.push_back(w);
        precision.push_back(p);
        product.push_back(p * w * w);
      }
    } first, second;
    for (std::size_t i = 0; i < draws; ++i) {
      const double precision = prior.draw_precision(prior.scale, rng);
      first.add(rng.normal() / std::sqrt(precision), precision);
      const double weight = prior.draw(prior.scale, rng);
      second.add(weight, prior.draw_precision_of(weight, prior.scale, rng));
    }
    EXPECT_LT(kolmogorov_distance(first.weight, second.weight), limit);
    EXPECT_LT(kolmogorov_distance(first.precision, second.precision), limit);
    EXPECT_LT(kolmogorov_distance(first.product, second.product), limit);
  }
}

// Numbers here and in the next test are Python's, from the formulas of docs/model.md: with n = 455, lambda = 0.1 the
// penalty is (0.1 ln 455)^5. All other tests of widths take the penalty from the code under test.
// Caught when broken: the exponent 4 and a logarithm to the base 10; C(p, s) left out.
TEST(WidthPrior, ByHand) {
  const WidthPrior prior{.lambda = 0.1, .rows = 455};
  EXPECT_NEAR(prior.penalty(0.1), 0.08587, 1e-5);
  EXPECT_NEAR(WidthPrior{.rows = 50000}.penalty(0.05), 0.0463385, 1e-7);
  EXPECT_NEAR(prior.log_mask(3, 1000, 0.1) - prior.log_mask(2, 1000, 0.1), -6.2365119, 1e-7);
  EXPECT_NEAR(prior.log_mask(3, 1000, 0.1), -19.7013715, 1e-7);
  EXPECT_NEAR(prior.log_normaliser(4, 0.1), 0.8509107, 1e-7);
  EXPECT_NEAR(prior.log_hyperprior(0.12), 0.2014266, 1e-7);  // median 0.1, spread 0.25
}

// Caught when broken: the density of Cauchy without its scale.
TEST(WeightPrior, LogDensitiesByHand) {
  using Family = WeightPrior::Family;
  const std::vector<float> weights{0.25f, -2.0f};
  EXPECT_NEAR((WeightPrior{.family = Family::cauchy}.log_density(weights, 0.3)), -4.2253597, 1e-6);
  EXPECT_NEAR((WeightPrior{.family = Family::student, .degrees = 3}.log_density(weights, 0.5)), -4.4672221, 1e-6);
  EXPECT_NEAR((WeightPrior{.family = Family::normal}.log_density(weights, 0.8)), -4.5654181, 1e-6);
}

}  // namespace
}  // namespace mbnn
