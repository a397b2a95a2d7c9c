// Ladders leave the right law on every rung: the enumerated posterior of a tiny network, tempered.
#include "mbnn/tables/ladder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mbnn/tables/density.h"
#include "tests/support/batch_means.h"
#include "tests/support/enumerated_widths.h"
#include "tests/support/prior_draw.h"
#include "tests/support/tiny_network.h"

namespace mbnn {
namespace {

constexpr double kTinyRows = 5;  // of the tiny data
const std::vector<double> kPowers{0.5, 0.2};

ChainOptions three_rungs() {
  ChainOptions options;
  options.warmup = 0;
  options.leapfrog_steps = 5;
  options.initial_step = 0.2;
  options.mask_moves = 2;
  options.refit_moves = 1;
  options.rungs = 3;
  return options;
}

// The likelihood to the power b with the noise integrated out, by hand: that of a fixed noise variance, or the integral
// of s^-(n b / 2) exp(-b SSE / 2 s) against an inverse gamma law of s, up to a constant.
OfErrors tempered(const NoisePrior& noise, double b) {
  if (noise.fixed > 0) return [=](double sse) { return std::exp(-b * sse / (2 * noise.fixed)); };
  return [=](double sse) { return std::pow(noise.rate + b * sse / 2, -(noise.shape + b * kTinyRows / 2)); };
}

// The expected precision of the noise given the errors: the mean of a gamma law.
OfErrors precision(const NoisePrior& noise, double b) {
  if (noise.fixed > 0) return [](double sse) { return sse / (1 + sse); };  // there is none: how large the errors are
  return [=](double sse) { return (noise.shape + b * kTinyRows / 2) / (noise.rate + b * sse / 2); };
}

// |z| > 4.5 has a false-alarm rate of 1e-5 a cell; the error of the enumeration is added to that of the chains.
// Caught when broken: a power left out of the exchange's shape or rate, of the noise's draw, or of the likelihood; an
// exchange without the width prior; no fresh noise behind it; a state that is exchanged without its statistic.
void expect_tempered_posteriors(const NoisePrior& noise) {
  Model model = tiny_network({3, 2}, 0.5);
  model.noise_prior = noise;
  const ChainOptions options = three_rungs();
  const TrainingData data = TrainingData::make(tiny_data(), options);
  Chain cold(model, data, options, 7, 0);
  Ladder ladder(cold, data, options, 7, 0, 1);
  ladder.set_powers(kPowers);
  Rng rng(3);
  ladder.start_from([&] { return draw_prior_state(model, rng); });
  constexpr std::size_t length = 100000;
  std::vector<BatchMeans> rungs(3, BatchMeans(7));
  for (std::size_t i = 0; i < length; ++i) {
    ladder.iterate();
    for (std::size_t k = 0; k < 3; ++k) {
      const State& state = ladder.rung(k).state();
      const auto& active = state.gates.active;
      std::vector<double> values(7);
      values[(active[0].size() - 1) * 2 + active[1].size() - 1] = 1;
      const double sse = ladder.rung(k).statistic();
      values[6] = noise.fixed > 0 ? sse / (1 + sse) : 1 / state.noise_variance;
      rungs[k].add(i, length, values);
      if (i % 1000 != 0) continue;
      NetworkDensity density(model);
      density.bind(*data.all, state);
      density.log_density(state.weights);
      EXPECT_NEAR(sse, density.statistic(), 1e-4 * (1 + sse));  // each state has its own
    }
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const double b = k == 0 ? 1 : kPowers[k - 1];
    const EnumeratedWidths exact = enumerate_widths(model, tiny_data(), tempered(noise, b), b, precision(noise, b));
    const double mean_error = std::hypot(rungs[k].standard_error(6), exact.mean_error);
    EXPECT_LT(mean_error, 0.02 * exact.mean);
    EXPECT_LT(std::abs(rungs[k].mean(6) - exact.mean), 4.5 * mean_error)
        << "rung " << k << ": " << rungs[k].mean(6) << " for " << exact.mean;
    for (std::size_t c = 0; c < 6; ++c) {
      const double error = std::hypot(rungs[k].standard_error(c), exact.error[c]);
      EXPECT_LT(error, 0.01);  // or the test sees nothing
      EXPECT_LT(std::abs(rungs[k].mean(c) - exact.mass[c]), 4.5 * error)
          << "rung " << k << ", cell " << c << ": " << rungs[k].mean(c) << " for " << exact.mass[c];
    }
  }
  EXPECT_GT(ladder.least_swap_rate(), 0.2);
  EXPECT_LT(ladder.least_swap_rate(), 0.95);
  EXPECT_GT(ladder.trips(), 1000);
}

TEST(Ladder, KeepsTheTemperedPosteriorsOfFixedNoise) { expect_tempered_posteriors({.fixed = 0.4}); }

TEST(Ladder, KeepsTheTemperedPosteriorsOfLearntNoise) { expect_tempered_posteriors({.shape = 2, .rate = 0.5}); }

}  // namespace
}  // namespace mbnn
