// Logistic regression against scikit-learn, against its score equations, and where the mode is known in closed form.
#include "mbnn/tables/baselines/logistic.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mbnn {
namespace {

// The data of tests/reference/logistic_reference.py.
Dataset reference_data(std::size_t classes) {
  Dataset data;
  data.rows = 80;
  data.inputs = 3;
  for (std::size_t r = 0; r < data.rows; ++r) {
    const double i = static_cast<double>(r);
    const float x[] = {static_cast<float>(std::sin(1.7 * i)), static_cast<float>(std::cos(0.9 * i)),
                       static_cast<float>(std::sin(0.31 * i + 1))};
    data.x.insert(data.x.end(), x, x + 3);
    const double hidden = x[0] + 0.5 * x[1] + std::sin(12.9 * i);
    data.labels.push_back(classes == 2 ? hidden > 0.2 : (hidden > -0.5) + (hidden > 0.6));
  }
  return data;
}

// Seen to fail without the prior's part of the gradient, and with the prior put on the intercepts, too.
TEST(Logistic, AgreesWithScikitLearn) {
  const struct {
    std::size_t classes, outputs;
    std::vector<double> weights;
  } cases[] = {{2, 1, {1.976306191, 1.360473426, 2.100017779, -0.314777748}},
               {3,
                3,
                {-2.248657641, 0.089039360, 2.159618280, -1.063369811, 0.184759896, 0.878609916, -1.892841599,
                 0.236753506, 1.656088093, -0.397066775, 0.746822170, -0.349755395}}};
  for (const auto& c : cases) {
    const LogisticFit fit = fit_logistic(reference_data(c.classes), c.outputs, {}, {});
    EXPECT_TRUE(fit.converged);
    ASSERT_EQ(fit.weights.size(), c.weights.size());
    // The reference stops at a gradient of 1e-9, and intercepts of a softmax are told up to a shift, which both put so
    // that they add up to 0.
    for (std::size_t i = 0; i < c.weights.size(); ++i) EXPECT_NEAR(fit.weights[i], c.weights[i], 1e-7) << c.classes;
  }
}

// At the mode, sum over rows of x (label - p) = weight / sd^2 for every weight, and 0 for the intercepts.
TEST(Logistic, SolvesTheScoreEquations) {
  const Dataset data = reference_data(3);
  const double sd = 0.3;
  const LogisticFit fit = fit_logistic(data, 3, {.prior_sd = sd}, {});
  ASSERT_TRUE(fit.converged);
  std::vector<double> score(12, 0.0);
  for (std::size_t r = 0; r < data.rows; ++r) {
    double p[3], total = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      double f = fit.weights[9 + k];
      for (std::size_t i = 0; i < 3; ++i) f += data.x[r * 3 + i] * fit.weights[i * 3 + k];
      total += p[k] = std::exp(f);
    }
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t i = 0; i < 4; ++i)
        score[i * 3 + k] +=
            (i < 3 ? data.x[r * 3 + i] : 1.0) * ((data.labels[r] == static_cast<int>(k)) - p[k] / total);
  }
  for (std::size_t i = 0; i < 12; ++i)
    EXPECT_NEAR(score[i] - (i < 9 ? fit.weights[i] / (sd * sd) : 0), 0, 80 * 1e-9) << i;
}

TEST(Logistic, OneLogitAndTwoLogitsAgree) {
  // Two logits that share a weight w = 2 a have the prior sum of squares 2 a^2 = w^2 / 2: a prior of sd sqrt(2) on w.
  const Dataset data = reference_data(2);
  const LogisticFit one = fit_logistic(data, 1, {.prior_sd = std::sqrt(2.0)}, {});
  const LogisticFit two = fit_logistic(data, 2, {}, {});
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(two.weights[2 * i + 1] - two.weights[2 * i], one.weights[i], 1e-7) << i;
}

TEST(Logistic, UselessInputsLeaveTheFrequency) {
  Dataset data;
  data.rows = 10;
  data.inputs = 1;
  data.x.assign(10, 0.0f);
  data.labels = {1, 1, 1, 0, 0, 0, 0, 0, 0, 0};
  const LogisticFit fit = fit_logistic(data, 1, {}, {});
  EXPECT_NEAR(fit.weights[0], 0, 1e-12);
  EXPECT_NEAR(fit.weights[1], std::log(0.3 / 0.7), 1e-7);
}

// Without the prior the mode would be at infinity; with a weak one it is far out and the curvature nearly 0 on the way.
TEST(Logistic, SeparableClassesConverge) {
  Dataset data;
  data.rows = 40;
  data.inputs = 1;
  for (int i = 0; i < 40; ++i) {
    data.x.push_back(static_cast<float>(i - 19.5) / 10);
    data.labels.push_back(i >= 20);
  }
  for (double sd : {1.0, 100.0, 1e4}) {
    const LogisticFit fit = fit_logistic(data, 1, {.prior_sd = sd}, {});
    EXPECT_TRUE(fit.converged) << sd;
    EXPECT_NEAR(fit.weights[1], 0, 1e-3) << sd;  // by symmetry
  }
}

}  // namespace
}  // namespace mbnn
