// Leave-one-out of a fit: two constant networks, where weights and densities are known.
#include "mbnn/tables/leave_one_out.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mbnn/core/error.h"
#include "mbnn/core/special.h"
#include "tests/support/made_fit.h"

namespace mbnn {
namespace {

// Of two draws the weights are the inverse likelihoods. Caught: densities in scaled units; weights by the density that
// allows for outliers.
TEST(TableLeaveOneOut, NumbersByHand) {
  for (const bool outliers : {false, true}) {
    const MadeFit made(81.5, 121.5, outliers, 700);
    const double share = outliers ? 0.5 / 701 : 0;
    double elpd = 0, lpd = 0;
    for (const double y : {81.5, 121.5}) {
      const std::pair<double, double> laws[] = {{111.5, 4}, {81.5, 10}};
      double weights = 0, weighed = 0, plain = 0;
      for (const auto& [mean, sd] : laws) {
        const double regular = std::exp(normal_log_pdf(y, mean, sd));
        const double density = (1 - share) * regular + share * std::exp(normal_log_pdf(y, mean, 10 * sd));
        weights += 1 / regular;
        weighed += density / regular;
        plain += density / 2;
      }
      elpd += 350 * std::log(weighed / weights);
      lpd += 350 * std::log(plain);
    }
    const LeaveOneOut loo = leave_one_out(made.fitted, made.rows, 3);
    EXPECT_EQ(loo.rows, 700u);
    EXPECT_EQ(loo.draws, 2u);
    EXPECT_NEAR(loo.elpd / elpd, 1, 1e-5) << outliers;
    EXPECT_NEAR(loo.p_eff / (lpd - elpd), 1, 1e-4) << outliers;
    EXPECT_FALSE(loo.trustworthy());  // two draws tell nothing of a tail
  }
}

TEST(TableLeaveOneOut, ClassesByHand) {
  const MadeFit made(0, 1, false);
  const double first = 1 / (1 + std::exp(-0.5)), second = 1 / (1 + std::exp(1.0));
  const double elpd =
      5 * std::log(2 / (1 / first + 1 / second)) + 5 * std::log(2 / (1 / (1 - first) + 1 / (1 - second)));
  EXPECT_NEAR(leave_one_out(made.fitted, made.rows, 1).elpd, elpd, 1e-5);
}

TEST(TableLeaveOneOut, NeedsDrawsOfAChain) {
  MadeFit made(81.5, 121.5, false);
  made.fitted.configuration.method = Method::ns_vi;
  EXPECT_THROW(leave_one_out(made.fitted, made.rows, 1), InputError);
}

}  // namespace
}  // namespace mbnn
