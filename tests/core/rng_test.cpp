// The random draws follow their laws, and the state is the whole of the generator.
#include "mbnn/core/rng.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "tests/support/kolmogorov.h"

namespace mbnn {
namespace {

// Kolmogorov-Smirnov distance times sqrt(n); above 1.95 with probability 0.001 under the null.
template <class Draw, class Cdf>
double kolmogorov(Draw draw, Cdf cdf, int n = 20000) {
  std::vector<double> u(n);
  for (auto& x : u) x = cdf(draw());
  return kolmogorov_distance_from_law(std::move(u)) * std::sqrt(n);
}

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

TEST(Rng, DrawsFollowTheirLaws) {
  Rng rng(1);
  EXPECT_LT(kolmogorov([&] { return rng.uniform(); }, [](double x) { return x; }), 1.95);
  EXPECT_LT(kolmogorov([&] { return rng.normal(); }, normal_cdf), 1.95);
  EXPECT_LT(kolmogorov([&] { return rng.exponential(); }, [](double x) { return -std::expm1(-x); }), 1.95);
  EXPECT_LT(kolmogorov([&] { return rng.cauchy(); }, [](double x) { return 0.5 + std::atan(x) / std::numbers::pi; }),
            1.95);
  // Student t with 2 degrees has a closed distribution function; gamma with shapes 1/2 and 2 has one, too.
  EXPECT_LT(kolmogorov([&] { return rng.student_t(2); }, [](double x) { return 0.5 + x / (2 * std::sqrt(2 + x * x)); }),
            1.95);
  EXPECT_LT(kolmogorov([&] { return rng.gamma(0.5); }, [](double x) { return std::erf(std::sqrt(x)); }), 1.95);
  EXPECT_LT(kolmogorov([&] { return rng.gamma(2); }, [](double x) { return 1 - (1 + x) * std::exp(-x); }), 1.95);
}

TEST(Rng, BelowIsUnbiased) {
  Rng rng(2);
  const int n = 60000, k = 6;
  std::vector<int> counts(k);
  for (int i = 0; i < n; ++i) ++counts[rng.below(k)];
  double chi2 = 0;
  for (int c : counts) chi2 += (c - n / k) * (c - n / k) / static_cast<double>(n / k);
  EXPECT_LT(chi2, 20.5);  // 5 degrees of freedom, false alarm 0.001
}

TEST(Rng, StateRestoresExactlyAndStreamsDiffer) {
  Rng a(3, 0), c(3, 1);
  a.normal();
  Rng b = Rng::from_state(a.state());
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.gamma(1.5), b.gamma(1.5));
  EXPECT_NE(a.bits(), c.bits());
}

}  // namespace
}  // namespace mbnn
