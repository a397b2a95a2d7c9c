// R-hat and effective sample sizes match a second implementation, the theory of known chains and the edge rules.
#include "mbnn/judge/convergence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "mbnn/core/error.h"
#include "mbnn/core/rng.h"

namespace mbnn {
namespace {

using Chains = std::vector<std::vector<double>>;

// The chains of tests/reference/convergence_reference.py: integers, so both languages have the same draws and ties.
struct Recipe {
  int chains, length, modulus, memory, shift;
};

Chains integer_chains(const Recipe& recipe) {
  std::uint64_t state = 1;
  Chains result;
  for (int m = 0; m < recipe.chains; ++m) {
    int value = 0;
    auto& chain = result.emplace_back();
    for (int i = 0; i < recipe.length; ++i) {
      state = (1103515245 * state + 12345) % (std::uint64_t{1} << 31);
      value = recipe.memory * value / 10 + static_cast<int>((state >> 16) % recipe.modulus);
      chain.push_back(value + recipe.shift * m);
    }
  }
  return result;
}

Chains autoregressive(int chains, int length, double memory, Rng& rng) {
  Chains result;
  for (int m = 0; m < chains; ++m) {
    auto& chain = result.emplace_back();
    double x = rng.normal();  // stationary from the start: variance one
    for (int i = 0; i < length; ++i) {
      chain.push_back(x);
      x = memory * x + std::sqrt(1 - memory * memory) * rng.normal();
    }
  }
  return result;
}

void expect_close(const Convergence& value, const Convergence& expected) {
  const auto near = [](double a, double b) { EXPECT_NEAR(a, b, 1e-9 * std::abs(b)); };
  near(value.rhat, expected.rhat);
  near(value.ess_bulk, expected.ess_bulk);
  near(value.ess_tail, expected.ess_tail);
  near(value.mcse_mean, expected.mcse_mean);
  near(value.mean, expected.mean);
  near(value.sd, expected.sd);
}

// Numbers printed by tests/reference/convergence_reference.py, written from the paper's definitions. The recipes have,
// in turn: ties and an odd length; strong autocorrelation; chains apart; antithetic draws; one chain; the fewest draws.
// Caught the deliberate breaks: no monotone sequence; no even lag at the end; (r - 1/2) / S for Blom's offsets.
TEST(Convergence, MatchesTheReferenceImplementation) {
  const std::vector<std::pair<Recipe, Convergence>> references{
      {{3, 41, 10, 5, 0}, {1.01384010805, 64.1203518015, 106.612370989, 0.360398312377, 8.16260162602, 2.89820177074}},
      {{4, 200, 1000, 8, 0}, {1.04668008755, 73.488108999, 73.890896695, 65.9206477528, 2420.8, 544.069671328}},
      {{4, 200, 1000, 8, 800}, {2.02958481429, 5.58991574903, 27.3490444844, 474.749895826, 3620.8, 1094.37418696}},
      {{2, 60, 1000, -6, 0},
       {1.01572231425, 249.501749526, 88.1846695226, 20.3996074441, 276.558333333, 322.224536668}},
      {{1, 12, 100, 0, 0}, {1.08800737035, 12.9501749526, 12.7058823529, 6.97023867735, 37.0833333333, 25.0833459176}},
      {{2, 4, 100, 0, 0}, {1.53550147636, 7.22471989594, 7.22471989594, 6.77724823153, 28.875, 18.2164564533}}};
  for (const auto& [recipe, expected] : references) {
    SCOPED_TRACE(testing::Message() << recipe.chains << " chains of " << recipe.length);
    expect_close(convergence(integer_chains(recipe)), expected);
  }
}

struct Moments {
  double mean, standard_error;
};

Moments moments(const std::vector<double>& x) {
  double sum = 0, squares = 0;
  for (double value : x) sum += value;
  const double size = static_cast<double>(x.size()), mean = sum / size;
  for (double value : x) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / (size - 1) / size)};
}

// An AR(1) chain with memory a has tau = (1 + a) / (1 - a) for its mean; a = 0 is independence. The mean of tau over
// 100 repetitions must lie within 3.9 of its own standard errors (false alarm 1e-4) after an allowance of 3% for the
// known bias: Geyer's rule keeps noise that is positive, and splitting charges the spread of the halves' means.
// Caught the deliberate break: a pair of lags counted once instead of twice.
TEST(Convergence, EssMatchesTheoryForAutoregressiveChains) {
  for (double memory : {0.0, 0.5, 0.8}) {
    Rng rng(11);
    std::vector<double> bulk, rhat;
    for (int repetition = 0; repetition < 100; ++repetition) {
      const Convergence c = convergence(autoregressive(4, 1000, memory, rng));
      bulk.push_back(4000 / c.ess_bulk);
      rhat.push_back(c.rhat);
    }
    const double tau = (1 + memory) / (1 - memory);
    const auto [mean, standard_error] = moments(bulk);
    EXPECT_LT(std::abs(mean - tau), 3.9 * standard_error + 0.03 * tau) << memory;
    EXPECT_LT(moments(rhat).mean, 1.01) << memory;
  }
}

// The stated error of the mean is the true one: z = mean / mcse has variance one. Over 400 repetitions the mean of z^2
// has standard error sqrt(2 / 400); 3.9 of them is a false alarm of 1e-4. For comparison, treating the draws as
// independent would give 3 here.
// Caught the deliberate break: sd / sqrt(number of draws).
TEST(Convergence, McseIsTheErrorOfTheMean) {
  Rng rng(12);
  double sum = 0;
  for (int repetition = 0; repetition < 400; ++repetition) {
    const Convergence c = convergence(autoregressive(4, 500, 0.5, rng));
    sum += (c.mean / c.mcse_mean) * (c.mean / c.mcse_mean);
  }
  EXPECT_NEAR(sum / 400, 1, 3.9 * std::sqrt(2.0 / 400));
}

TEST(Convergence, SeesAChainElsewhere) {
  Rng rng(13);
  Chains chains = autoregressive(4, 500, 0, rng);
  EXPECT_LT(convergence(chains).rhat, 1.02);
  for (double& x : chains[2]) x += 2;
  EXPECT_GT(convergence(chains).rhat, 1.2);
}

TEST(Convergence, SeesADriftWithinEachChain) {
  Rng rng(14);
  Chains chains = autoregressive(4, 500, 0, rng);
  for (auto& chain : chains)
    for (std::size_t i = 0; i < chain.size(); ++i) chain[i] += 3.0 * static_cast<double>(i) / 500;
  EXPECT_GT(convergence(chains).rhat, 1.2);  // the chains agree with each other, so only splitting can tell
}

// Heavy tails of the same location: the classical statistic, a ratio of sample variances, sees nothing in Cauchy draws.
// Caught the deliberate break: rhat without the folded part.
TEST(Convergence, SeesADifferenceOfScaleBetweenCauchyChains) {
  Rng rng(15);
  Chains chains(4);
  for (auto& chain : chains)
    for (int i = 0; i < 500; ++i) chain.push_back(rng.cauchy());
  EXPECT_LT(convergence(chains).rhat, 1.02);
  for (double& x : chains[0]) x *= 10;
  EXPECT_GT(convergence(chains).rhat, 1.1);
}

TEST(Convergence, RanksDoNotSeeMonotoneTransformations) {
  Rng rng(16);
  Chains chains = autoregressive(4, 300, 0.4, rng);
  const Convergence before = convergence(chains);
  for (auto& chain : chains)
    for (double& x : chain) x = std::exp(5 * x);
  const Convergence after = convergence(chains);
  EXPECT_DOUBLE_EQ(before.ess_bulk, after.ess_bulk);
  EXPECT_DOUBLE_EQ(before.ess_tail, after.ess_tail);
}

TEST(Convergence, CutsToTheShortestChain) {
  Chains chains = integer_chains({3, 40, 50, 5, 0});
  const Convergence expected = convergence(chains);
  chains[1].insert(chains[1].end(), {1e6, 1e6, 1e6});
  expect_close(convergence(chains), expected);
}

// Caught the deliberate break: no rule of its own for chains that are each constant.
TEST(Convergence, ChainsThatStandStill) {
  const Convergence equal = convergence(Chains(4, std::vector<double>(10, 0.1)));
  EXPECT_TRUE(std::isnan(equal.rhat));
  EXPECT_TRUE(std::isnan(equal.ess_bulk));
  EXPECT_TRUE(std::isnan(equal.ess_tail));
  EXPECT_TRUE(std::isnan(equal.mcse_mean));
  EXPECT_DOUBLE_EQ(equal.mean, 0.1);
  EXPECT_NEAR(equal.sd, 0, 1e-15);

  const Convergence apart = convergence(Chains{std::vector<double>(100, 0.1), std::vector<double>(100, 0.7)});
  EXPECT_EQ(apart.rhat, std::numeric_limits<double>::infinity());
  EXPECT_LT(apart.ess_bulk, 4);
}

TEST(Convergence, TwoValuedDrawsNeedNoFold) {
  Rng rng(17);
  Chains chains(4);
  for (auto& chain : chains)
    for (int i = 0; i < 200; ++i) chain.push_back(rng.coin() ? 1 : -1);
  const Convergence c = convergence(chains);
  EXPECT_LT(c.rhat, 1.03);
  EXPECT_GT(c.ess_tail, 300);  // the 95% indicator is constant, the 5% indicator speaks
}

TEST(Convergence, TooFewOrBrokenDrawsAreNotANumber) {
  const Convergence few = convergence(Chains{{1, 2, 3}, {2, 3, 4}});
  EXPECT_TRUE(std::isnan(few.rhat) && std::isnan(few.ess_bulk) && std::isnan(few.ess_tail));
  EXPECT_DOUBLE_EQ(few.mean, 2.5);
  EXPECT_TRUE(std::isnan(convergence(Chains{{1, 2, 3, 4, std::nan("")}}).rhat));
  EXPECT_TRUE(std::isnan(convergence(Chains{{}, {1, 2}}).mean));
  EXPECT_THROW(convergence({}), InputError);
}

}  // namespace
}  // namespace mbnn
