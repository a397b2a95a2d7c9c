// Births and deaths leave the right law: the enumerated posterior of a tiny network.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "mbnn/core/cholesky.h"
#include "mbnn/sample/birth_death_moves.h"
#include "mbnn/sample/hmc.h"
#include "mbnn/tables/density.h"
#include "mbnn/tables/flip_density.h"
#include "mbnn/tables/refit.h"
#include "tests/support/batch_means.h"
#include "tests/support/enumerated_widths.h"
#include "tests/support/prior_draw.h"
#include "tests/support/tiny_network.h"

namespace mbnn {
namespace {

constexpr std::size_t kCaps[] = {3, 2};

Model tiny_model() { return tiny_network({kCaps[0], kCaps[1]}, 0.35); }

constexpr double kNoise = 0.4;

struct Proposal {
  Rule birth, death;
  std::size_t max_flips, candidates;
  std::size_t refit = 0;  // the refitting moves instead, with so many candidates
};

std::string describe(const Proposal& p) {
  if (p.refit > 0) return p.refit == 1 ? "Refit" : "RefitOf" + std::to_string(p.refit);
  static const char* const names[] = {"Uniform", "Reciprocal", "Linear"};
  return std::string(names[static_cast<int>(p.birth)]) + names[static_cast<int>(p.death)] +
         std::to_string(p.max_flips) + "Pool" + std::to_string(p.candidates);
}
void PrintTo(const Proposal& p, std::ostream* out) { *out << describe(p); }

class EnumeratedPosterior : public ::testing::TestWithParam<Proposal> {};

// Fixed noise; weights move by HMC, masks by birth-death. Cell frequencies are judged in standard errors from 50 batch
// means, with the error of the enumeration added; |z| > 4.5 has a false-alarm rate of 1e-5 a cell.
// Caught when broken: the reverse choice scored at the current state, or with the current weights; log C(I, m) left
// out; 1 / C(p, s) left out of the mask prior; the other members of a death's pool drawn wrongly.
TEST_P(EnumeratedPosterior, IsTheLawOfTheChain) {
  static const EnumeratedWidths exact =
      enumerate_widths(tiny_model(), tiny_data(), [](double sse) { return std::exp(-sse / (2 * kNoise)); });
  const std::vector<double>&expected = exact.mass, &error = exact.error;
  const auto [birth, death, max_flips, candidates, refit] = GetParam();
  const Model model = tiny_model();
  const Dataset data = tiny_data();
  const Batch batch = Batch::all(data);
  Rng rng(77);
  State state = draw_prior_state(model, rng);
  state.noise_variance = kNoise;
  NetworkDensity density(model);
  FlipDensity flips(model);
  RefitDensity refits(model);
  BirthDeath birth_death({birth, death, max_flips, candidates});
  Hmc hmc;
  std::vector<float> inverse_mass;
  constexpr int kBatches = 50, kLength = 2400;
  std::vector<std::vector<double>> frequency(expected.size(), std::vector<double>(kBatches));
  std::vector<std::int64_t> numbers(kCaps[0]);
  std::int64_t layer_one = 0;
  for (int b = 0; b < kBatches; ++b)
    for (int i = 0; i < kLength; ++i) {
      density.bind(batch, state);
      inverse_mass.assign(state.weights.size(), 1.0f);
      hmc.step(density, state.weights, inverse_mass, 0.15 + 0.1 * rng.uniform(), 5, rng);
      if (refit > 0) {
        refits.bind(batch, state);
        for (int move = 0; move < 3; ++move) refit_step(refits, refit, rng);
      } else {
        flips.bind(batch, state);
        birth_death.forget();
        for (int move = 0; move < 3; ++move) birth_death.step(flips, rng);
      }
      const Shape shape = state.shape(model);
      frequency[(shape.widths[1] - 1) * kCaps[1] + shape.widths[2] - 1][b] += 1.0 / kLength;
      for (std::uint32_t number : state.gates.active[0]) ++numbers[number];
      layer_one += static_cast<std::int64_t>(shape.widths[1]);
    }
  for (std::size_t cell = 0; cell < expected.size(); ++cell) {
    const auto& f = frequency[cell];
    const double mean = std::accumulate(f.begin(), f.end(), 0.0) / kBatches;
    double squares = 0;
    for (double v : f) squares += (v - mean) * (v - mean);
    const double standard_error = std::hypot(std::sqrt(squares / (kBatches - 1) / kBatches), error[cell]);
    EXPECT_LT(std::abs(mean - expected[cell]) / standard_error, 4.5)
        << "widths (" << cell / kCaps[1] + 1 << ", " << cell % kCaps[1] + 1 << "): " << mean << " against "
        << expected[cell];
    EXPECT_LT(standard_error, 0.02);  // or the test could not see a fault
  }
  // All node numbers are alike.
  for (std::int64_t count : numbers)
    EXPECT_NEAR(static_cast<double>(count) / static_cast<double>(layer_one), 1.0 / kCaps[0], 0.03);
}

constexpr Rule kRules[] = {Rule::uniform, Rule::reciprocal, Rule::linear};

std::vector<Proposal> proposals() {
  std::vector<Proposal> all;
  for (Rule birth : kRules)
    for (Rule death : kRules)
      for (std::size_t max_flips : {1, 3}) all.push_back({birth, death, max_flips, 0});
  all.push_back({Rule::linear, Rule::reciprocal, 3, 2});  // a pool smaller than the inactive nodes
  all.push_back({Rule::reciprocal, Rule::linear, 1, 2});
  all.push_back({Rule::uniform, Rule::uniform, 1, 0, 1});
  all.push_back({Rule::uniform, Rule::uniform, 1, 0, 16});
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, EnumeratedPosterior, ::testing::ValuesIn(proposals()),
                         [](const ::testing::TestParamInfo<Proposal>& info) { return describe(info.param); });

// One hidden layer and little noise, where candidates promise very different things. With normal priors the output
// edges integrate out: given the incoming edges the targets are normal with covariance noise I + H H' + 1 1'. The
// evidence of a width is the mean of that density over incoming edges from the prior. Caught when broken: the chance of
// the chosen candidate left out of a birth, or of a death.
TEST(ChoosingBirths, HaveTheLawOfTheEvidence) {
  constexpr double noise = 0.01;
  constexpr std::size_t cap = 3;
  const Model model = tiny_network({cap}, 0.4);
  Dataset data = tiny_data();
  data.y = {0.3f, 0.05f, -0.05f, 0.5f, 1.2f};  // which one node can follow, and two follow better
  const double strength = std::pow(0.4 * std::log(5.0), 5);
  std::vector<double> expected, error;
  Rng prior(11);
  for (std::size_t s = 1; s <= cap; ++s) {
    constexpr int draws = 200000;
    double sum = 0, squares = 0;
    for (int i = 0; i < draws; ++i) {
      std::vector<double> covariance(25, 1.0);
      for (std::size_t j = 0; j < s; ++j) {
        const double w = prior.normal(), b = prior.normal();
        double h[5];
        for (std::size_t r = 0; r < 5; ++r) h[r] = std::max(0.0, w * data.x[r] + b);
        for (std::size_t r = 0; r < 5; ++r)
          for (std::size_t q = 0; q < 5; ++q) covariance[r * 5 + q] += h[r] * h[q];
      }
      for (std::size_t r = 0; r < 5; ++r) covariance[r * 6] += noise;
      const Cholesky factor(std::move(covariance), 5);
      const std::vector<double> y(data.y.begin(), data.y.end()), solved = factor.solve(y);
      const double fit = std::inner_product(y.begin(), y.end(), solved.begin(), 0.0);
      const double density = std::exp(-0.5 * fit - 0.5 * factor.log_determinant());
      sum += density;
      squares += density * density;
    }
    const double prior_mass = std::exp(-strength * static_cast<double>(s * s)), mean = sum / draws;
    expected.push_back(prior_mass * mean);
    error.push_back(prior_mass * std::sqrt((squares / draws - mean * mean) / draws));
  }
  const double total = std::accumulate(expected.begin(), expected.end(), 0.0);
  const Batch batch = Batch::all(data);
  Rng rng(5);
  State state = draw_prior_state(model, rng);
  state.noise_variance = noise;
  NetworkDensity density(model);
  RefitDensity refits(model);
  Hmc hmc;
  std::vector<float> inverse_mass;
  constexpr std::size_t length = 200000;
  BatchMeans widths(cap);
  for (std::size_t i = 0; i < length; ++i) {
    density.bind(batch, state);
    inverse_mass.assign(state.weights.size(), 1.0f);
    hmc.step(density, state.weights, inverse_mass, 0.03 + 0.03 * rng.uniform(), 10, rng);
    refits.bind(batch, state);
    for (int move = 0; move < 3; ++move) refit_step(refits, 8, rng);
    std::vector<double> is(cap);
    is[state.gates.active[0].size() - 1] = 1;
    widths.add(i, length, is);
  }
  for (std::size_t s = 0; s < cap; ++s) {
    const double both = std::hypot(widths.standard_error(s), error[s] / total);
    EXPECT_LT(both, 0.015);
    EXPECT_LT(std::abs(widths.mean(s) - expected[s] / total), 4.5 * both)
        << "width " << s + 1 << ": " << widths.mean(s) << " for " << expected[s] / total << ", error " << both;
  }
}

}  // namespace
}  // namespace mbnn
