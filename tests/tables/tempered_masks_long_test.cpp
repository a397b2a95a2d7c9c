// Births and deaths tested by MHBT: the tempered law of the masks, enumerated.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mbnn/sample/batch_acceptance.h"
#include "mbnn/sample/birth_death_moves.h"
#include "mbnn/sample/hmc.h"
#include "mbnn/tables/density.h"
#include "mbnn/tables/flip_density.h"
#include "tests/support/mlp_reference.h"
#include "tests/support/prior_draw.h"
#include "tests/support/tiny_network.h"

namespace mbnn {
namespace {

constexpr std::size_t kCap = 3;
constexpr double kNoiseVariance = 0.4, kTemperature = 2.5;

Model one_layer_model() { return tiny_network({kCap}, 0.5); }

// P(s) with likelihood and width prior to the power 1 / T: the mean over draws from the prior of the weights.
std::vector<double> tempered_widths(double temperature, std::vector<double>& error) {
  const Model model = one_layer_model();
  const Dataset data = tiny_data();
  Rng rng(5);
  constexpr int draws = 100000;
  std::vector<double> mass;
  error.clear();
  for (std::size_t s = 1; s <= kCap; ++s) {
    const Shape shape{{1, s, 1}};
    const auto gate = reference::open_gates<double>(shape);
    double sum = 0, squares = 0;
    std::vector<double> w(shape.size());
    for (int i = 0; i < draws; ++i) {
      for (auto& v : w) v = rng.normal();
      double sse = 0;
      for (std::size_t r = 0; r < data.rows; ++r) {
        const double x = data.x[r], e = data.y[r] - reference::forward<double>(shape, w, {&x, 1}, gate)[0];
        sse += e * e;
      }
      const double likelihood = std::exp(-sse / (2 * kNoiseVariance) / temperature);
      sum += likelihood;
      squares += likelihood * likelihood;
    }
    const double penalty = model.width_prior.penalty(model.width_prior.lambda) * static_cast<double>(s * s);
    const double prior = std::exp(-penalty / temperature), mean = sum / draws;
    mass.push_back(prior * mean);
    error.push_back(prior * std::sqrt((squares / draws - mean * mean) / draws));
  }
  const double total = std::accumulate(mass.begin(), mass.end(), 0.0);
  for (double& m : mass) m /= total;
  for (double& e : error) e /= total;
  return mass;
}

// Weights by HMC in the tempered law, masks by MHBT on all rows, where it is exact. |z| > 4.2 in 1 of 10,000 runs.
// Caught: the width prior not tempered, 1 / C(p, s) tempered, the likelihood not tempered.
TEST(EnumeratedPosteriorTempered, IsTheLawOfTheMasks) {
  std::vector<double> error;
  const auto expected = tempered_widths(kTemperature, error);
  std::vector<double> unused;
  EXPECT_GT(std::abs(expected[0] - tempered_widths(1, unused)[0]), 0.05);  // or the test could not tell them apart
  const Model model = one_layer_model();
  const Dataset data = tiny_data();
  const Batch batch = Batch::all(data);
  Rng rng(77);
  State state = draw_prior_state(model, rng);
  state.noise_variance = kNoiseVariance;
  NetworkDensity density(model);
  FlipDensity flips(model);
  BirthDeath birth_death({Rule::uniform, Rule::reciprocal, 1, 0});
  birth_death.judge_by(Tempering{.rows = data.rows, .temperature = kTemperature});
  Hmc hmc;
  std::vector<float> inverse_mass;
  constexpr int kBatches = 50, kLength = 1000;
  std::vector<std::vector<double>> frequency(kCap, std::vector<double>(kBatches));
  for (int b = 0; b < kBatches; ++b)
    for (int i = 0; i < kLength; ++i) {
      density.bind(batch, state, 1 / kTemperature);
      inverse_mass.assign(state.weights.size(), 1.0f);
      hmc.step(density, state.weights, inverse_mass, 0.2 + 0.1 * rng.uniform(), 5, rng);
      flips.bind(batch, state, 1 / kTemperature);
      birth_death.forget();
      for (int move = 0; move < 3; ++move) birth_death.step(flips, rng);
      frequency[state.shape(model).widths[1] - 1][b] += 1.0 / kLength;
    }
  for (std::size_t s = 0; s < kCap; ++s) {
    const auto& f = frequency[s];
    const double mean = std::accumulate(f.begin(), f.end(), 0.0) / kBatches;
    double squares = 0;
    for (double v : f) squares += (v - mean) * (v - mean);
    const double standard_error = std::hypot(std::sqrt(squares / (kBatches - 1) / kBatches), error[s]);
    EXPECT_LT(standard_error, 0.01);
    EXPECT_NEAR(mean, expected[s], 4.2 * standard_error) << "width " << s + 1;
  }
}

}  // namespace
}  // namespace mbnn
