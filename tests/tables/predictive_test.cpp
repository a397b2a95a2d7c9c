// What draws say of new rows, in the target's own units: two constant networks, and their mixture by hand.
#include "mbnn/tables/predictive.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mbnn/tables/table_problem.h"

namespace mbnn {
namespace {

// A table of ten rows, and two draws of networks without any edge that counts: f = 0.5 and f = -1.
struct MadeFit {
  FittedModel fitted;
  Dataset rows;

  explicit MadeFit(double first_value, double second_value, bool outliers) {
    Table table;
    table.path = "made.csv";
    table.rows = 10;
    table.columns = {{"x", ColumnKind::numeric, {}, {}, {}}, {"y", ColumnKind::numeric, {}, {}, {}}};
    for (std::size_t i = 0; i < table.rows; ++i) {
      table.columns[0].numbers.push_back(std::sqrt(static_cast<double>(i)));
      table.columns[1].numbers.push_back(i % 2 == 0 ? first_value : second_value);
    }
    Configuration& c = fitted.configuration;
    c.encoding.target = "y";
    c.hidden = {5};
    c.outliers = outliers;
    std::vector<std::string> notes;
    fitted.encoding = Encoding::learn(table, c.encoding, notes);
    rows = fitted.encoding.encode(table, Encoding::Needs::inputs_and_target, notes);
    fitted.model = TableProblem(c, fitted.encoding, rows).model();
    for (const auto& [value, variance] : {std::pair(0.5f, 0.04), std::pair(-1.0f, 0.25)}) {
      State state;
      state.gates.active = {{0}};
      state.weights = {0, 0, 0, value};  // edge, bias, edge, bias
      state.noise_variance = variance;
      fitted.draws.push_back({state});
    }
  }
};

// y is 81.5 or 121.5: its mean is 101.5, its deviation 20. Seen to fail with the noise in scaled units, and with that
// of outliers weighted like the others.
TEST(Predictive, IsInUnitsOfTheTarget) {
  for (const bool outliers : {false, true}) {
    const MadeFit made(81.5, 121.5, outliers);
    const Predictive predictive(made.fitted);
    std::size_t seen = 0;
    predictive.for_each_row(made.rows, 1, [&](const RowPrediction& p) {
      ++seen;
      ASSERT_EQ(p.means.size(), outliers ? 4u : 2u);
      for (std::size_t part = 0; part < p.means.size(); part += 2) {
        const double spread = part == 0 ? 1 : 10;
        EXPECT_NEAR(p.means[part], 111.5, 1e-5);
        EXPECT_NEAR(p.means[part + 1], 81.5, 1e-5);
        EXPECT_NEAR(p.sds[part], 20 * 0.2 * spread, 1e-12);
        EXPECT_NEAR(p.sds[part + 1], 20 * 0.5 * spread, 1e-12);
      }
      if (!outliers) return;
      const double share = 0.5 / 11;  // of ten rows
      for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(p.weights[i], 0.5 * (i < 2 ? 1 - share : share), 1e-12);
    });
    EXPECT_EQ(seen, 10u);
  }
}

// Classes 0 and 1: the mean of the draws' probabilities, not the probability of their mean.
TEST(Predictive, AveragesProbabilities) {
  const MadeFit made(0, 1, false);
  const double p = 0.5 / (1 + std::exp(-0.5)) + 0.5 / (1 + std::exp(1.0));
  const Predictive predictive(made.fitted);
  predictive.for_each_row(made.rows, 1, [&](const RowPrediction& row) {
    ASSERT_EQ(row.probabilities.size(), 2u);
    EXPECT_NEAR(row.probabilities[1], p, 1e-7);
    EXPECT_NEAR(row.probabilities[0], 1 - p, 1e-7);
  });
  // Half of the rows have each label.
  EXPECT_NEAR(evaluate(made.fitted, made.rows, 0.95, 1).classification.nll, -0.5 * (std::log(p) + std::log(1 - p)),
              1e-7);
}

}  // namespace
}  // namespace mbnn
