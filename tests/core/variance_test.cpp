// Seen to fail: n - 1 in place of n; sums in float.
#include "mbnn/core/variance.h"

#include <gtest/gtest.h>

#include <vector>

namespace mbnn {
namespace {

TEST(Variance, IsTheMeanSquaredDistanceFromTheMean) {
  EXPECT_EQ(variance(std::vector<float>{}), 0);
  EXPECT_EQ(variance(std::vector<float>{3}), 0);
  EXPECT_EQ(variance(std::vector<float>{1, 2, 3, 6}), 3.5);
  // A sum in float would lose the ones beside 2^24.
  EXPECT_EQ(variance(std::vector<float>{16777216, 1, 1, 1, 1}), 4.0 * 3355443 * 3355443);
}

}  // namespace
}  // namespace mbnn
