// The laws of the priors that calibration on few rows cannot see.
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

}  // namespace
}  // namespace mbnn
