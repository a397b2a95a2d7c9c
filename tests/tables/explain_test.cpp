// Explanations of functions that are known: affine ones, whose effects and Shapley values have closed forms, and a
// network, whose Shapley values are enumerated.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mbnn/core/error.h"
#include "mbnn/tables/explain/attribution.h"
#include "mbnn/tables/explain/effects.h"
#include "mbnn/tables/explain/importance.h"
#include "mbnn/tables/table_problem.h"
#include "mbnn/tables/training_rows.h"

namespace mbnn {
namespace {

// Numbers a (some missing) and b, categories c of three and d of two levels.
struct KnownFit {
  FittedModel fitted;
  Dataset data;

  explicit KnownFit(bool hidden_layer) {
    Table table;
    table.path = "known.csv";
    table.rows = 40;
    table.columns.resize(5);
    const char* names[] = {"a", "b", "c", "d", "y"};
    for (int i = 0; i < 5; ++i) table.columns[static_cast<std::size_t>(i)].name = names[i];
    table.columns[2].kind = table.columns[3].kind = ColumnKind::categorical;
    table.columns[2].levels = {"blue", "green", "red"};
    table.columns[3].levels = {"no", "yes"};
    Rng rng(6);
    for (std::size_t i = 0; i < table.rows; ++i) {
      table.columns[0].numbers.push_back(i % 8 == 3 ? std::nan("") : std::round(1000 * rng.normal()) / 1000);
      table.columns[1].numbers.push_back(100 + static_cast<double>(rng.below(50)));
      table.columns[2].codes.push_back(static_cast<std::int32_t>(rng.below(3)));
      table.columns[3].codes.push_back(static_cast<std::int32_t>(rng.below(2)));
      table.columns[4].numbers.push_back(20 * rng.normal() + 0.001 * static_cast<double>(i));
    }
    Configuration& c = fitted.configuration;
    c.encoding.target = "y";
    c.outliers = false;
    c.no_hidden_layers = !hidden_layer;
    if (hidden_layer) c.hidden = {3};
    std::vector<std::string> notes;
    fitted.encoding = Encoding::learn(table, c.encoding, notes);
    data = fitted.encoding.encode(table, Encoding::Needs::inputs_and_target, notes);
    fitted.model = TableProblem(c, fitted.encoding, data).model();
    for (int draw = 0; draw < 2; ++draw) {
      State state;
      state.noise_variance = 0.25;
      if (hidden_layer) state.gates.active = {{0, 1, 2}};
      state.weights.resize(state.shape(fitted.model).size());
      for (float& w : state.weights) w = static_cast<float>(rng.normal());
      fitted.draws.push_back({state});
    }
  }

  // The weight of an input in an affine draw, in units of the target.
  double weight(std::size_t draw, std::size_t input) const {
    return fitted.encoding.target_sd() * static_cast<double>(fitted.draws[draw][0].weights[input]);
  }
  double input(std::size_t row, std::size_t i) const { return static_cast<double>(data.x[row * data.inputs + i]); }
};

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Means over the draws, by row.
std::vector<double> predictions(const ColumnFunction& function, const Dataset& data) {
  const auto values = function.by_draw(data);
  std::vector<double> means(data.rows);
  for (std::size_t row = 0; row < data.rows; ++row)
    for (const auto& draw : values) means[row] += draw[row] / static_cast<double>(values.size());
  return means;
}

TEST(Columns, KnowTheirInputsAndCells) {
  const KnownFit known(false);
  const auto columns = known.fitted.encoding.input_columns();
  ASSERT_EQ(columns.size(), 4u);
  EXPECT_EQ(columns[0].name, "a");
  EXPECT_EQ(columns[0].count, 2u);  // the number and its missing marker
  EXPECT_TRUE(columns[1].ordered);
  EXPECT_EQ(columns[2].first, 3u);
  EXPECT_EQ(columns[2].count, 3u);
  EXPECT_FALSE(columns[3].ordered);
  const ColumnFunction function(known.fitted, 0, 1);
  EXPECT_EQ(function.cell(0, known.data, 3), "");
  EXPECT_TRUE(function.missing(0, known.data, 3));
  Rng rng(6);
  for (std::size_t row = 0; row < 40; ++row) {
    const double a = row % 8 == 3 ? 0 : std::round(1000 * rng.normal()) / 1000;
    const auto b = 100 + rng.below(50), c = rng.below(3), d = rng.below(2);
    rng.normal();
    EXPECT_EQ(function.cell(0, known.data, row), row % 8 == 3 ? "" : fmt::format("{:.7g}", a));
    EXPECT_EQ(function.cell(1, known.data, row), std::to_string(b));
    EXPECT_EQ(function.cell(2, known.data, row), (std::vector<std::string>{"blue", "green", "red"}[c]));
    EXPECT_EQ(function.cell(3, known.data, row), (std::vector<std::string>{"no", "yes"}[d]));
  }
  Dataset other = known.data;  // what encode() makes of a category that training has not seen
  std::vector<std::string> notes;
  Table table;
  table.path = "new.csv";
  table.rows = 1;
  table.columns.resize(4);
  const char* names[] = {"a", "b", "c", "d"};
  for (int i = 0; i < 4; ++i) table.columns[static_cast<std::size_t>(i)].name = names[i];
  table.columns[0].numbers = {0};
  table.columns[1].numbers = {120};
  table.columns[2].kind = table.columns[3].kind = ColumnKind::categorical;
  table.columns[2].codes = table.columns[3].codes = {0};
  table.columns[2].levels = table.columns[3].levels = {"violet"};
  const Dataset unseen = known.fitted.encoding.encode(table, Encoding::Needs::inputs, notes);
  EXPECT_EQ(function.cell(0, unseen, 0), "0");
  EXPECT_EQ(function.cell(2, unseen, 0), "(other)");
  EXPECT_EQ(function.cell(3, unseen, 0), "(other)");
}

// Dates are ordered by their trend and told as the table has them, although the inputs are in single precision.
TEST(Columns, TellDates) {
  Table table;
  table.path = "days.csv";
  table.rows = 400;
  table.columns.resize(2);
  table.columns[0].name = "day";
  table.columns[0].kind = ColumnKind::date;
  table.columns[1].name = "y";
  for (std::size_t i = 0; i < table.rows; ++i) {
    table.columns[0].numbers.push_back(1614816000.0 + 86400.0 * static_cast<double>(i));  // from 2021-03-04 on
    table.columns[1].numbers.push_back(std::sqrt(static_cast<double>(i)));
  }
  std::vector<std::string> notes;
  const Encoding encoding = Encoding::learn(table, {.target = "y"}, notes);
  const Dataset data = encoding.encode(table, Encoding::Needs::inputs, notes);
  ASSERT_EQ(encoding.input_columns().size(), 1u);
  EXPECT_TRUE(encoding.input_columns()[0].ordered);
  EXPECT_GT(encoding.input_columns()[0].count, 3u);
  const auto cell = [&](std::size_t row) {
    return encoding.cell_text(0, std::span(data.x).subspan(row * data.inputs, data.inputs));
  };
  EXPECT_EQ(cell(0), "2021-03-04");
  EXPECT_EQ(cell(1), "2021-03-05");
  EXPECT_EQ(cell(399), "2022-04-07");
}

// A row's prediction does not depend on the threads that share the rows out.
TEST(ColumnFunction, IsThatOfEachDraw) {
  const KnownFit known(false);
  const auto one = ColumnFunction(known.fitted, 0, 1).by_draw(known.data);
  EXPECT_EQ(ColumnFunction(known.fitted, 0, 3).by_draw(known.data), one);
  for (std::size_t draw = 0; draw < 2; ++draw) {
    double expected = known.fitted.encoding.target_mean() + known.weight(draw, known.data.inputs);
    for (std::size_t i = 0; i < known.data.inputs; ++i) expected += known.weight(draw, i) * known.input(7, i);
    EXPECT_NEAR(one[draw][7], expected, 1e-3);
  }
}

// An affine function goes up by its weight, whatever the other columns are: so do partial dependence and local effects.
// Caught: local effects that are not centred; bins that take a row to the end of the next.
TEST(Effects, OfAnAffineFunctionAreItsWeights) {
  const KnownFit known(false);
  const ColumnFunction function(known.fitted, 0, 2);
  for (const std::size_t column : {0u, 1u}) {
    const std::size_t input = column == 0 ? 0 : 2;
    const double slope = (known.weight(0, input) + known.weight(1, input)) / 2;
    const Effect effect = effect_of(function, column, known.data, {});
    const double scale = column == 0 ? 1 : 20;
    const auto number = [&](std::size_t p) { return std::stod(effect.points[p].cell); };
    const std::size_t numbers = effect.points.size() - (column == 0 ? 1 : 0);
    ASSERT_GE(numbers, 8u);
    const double per_unit =
        (effect.points[numbers - 1].partial.mean - effect.points[0].partial.mean) / (number(numbers - 1) - number(0));
    for (std::size_t p = 1; p < numbers; ++p) {
      EXPECT_GT(number(p), number(p - 1));
      const double step = number(p) - number(p - 1);
      EXPECT_NEAR(effect.points[p].partial.mean - effect.points[p - 1].partial.mean, per_unit * step, 1e-3 * scale);
      EXPECT_NEAR(effect.points[p].local.mean - effect.points[p - 1].local.mean, per_unit * step, 1e-3 * scale);
    }
    EXPECT_GT(per_unit * slope, 0);
    if (column == 0) {
      EXPECT_EQ(effect.points.back().cell, "");
      EXPECT_TRUE(std::isnan(effect.points.back().local.mean));
    }
    // Two draws: the band's ends are theirs.
    EXPECT_LT(effect.points[0].partial.lower, effect.points[0].partial.mean);
    EXPECT_GT(effect.points[0].partial.upper, effect.points[0].partial.mean);
  }
  double rows = 0, sum = 0;  // the mean over rows of the local effect, by linear interpolation, is 0
  const Effect effect = effect_of(function, 1, known.data, {.points = 40});
  for (std::size_t row = 0; row < known.data.rows; ++row)
    for (const EffectPoint& p : effect.points)
      if (p.cell == function.cell(1, known.data, row)) {
        sum += p.local.mean;
        ++rows;
      }
  const double range = effect.points.back().local.mean - effect.points.front().local.mean;
  EXPECT_NEAR(sum / rows, 0, 0.05 * std::abs(range));
  EXPECT_EQ(effect_of(function, 2, known.data, {}).points.size(), 3u);
}

TEST(Effects, PairsOfAnAffineFunctionDoNothingTogether) {
  const KnownFit affine(false), network(true);
  EXPECT_LT(pair_effect_of(ColumnFunction(affine.fitted, 0, 1), 0, 1, affine.data, {}).strength, 1e-4);
  const PairEffect pair = pair_effect_of(ColumnFunction(network.fitted, 0, 1), 0, 1, network.data, {});
  EXPECT_GT(pair.strength, 0.1);
  EXPECT_EQ(pair.points.size(), 7u * 6);  // a may be missing
}

// The log score is quadratic in the error. Were y the prediction itself, shuffling a column of one input would cost
// (weight * sd)^2 / noise variance in expectation: that of a random pair. Here y is anything, but of it only the mean
// changes: E (y - f')^2 - (y - f)^2 = 2 Var(part) + 2 Cov(part, y - f).
TEST(Importance, OfAnAffineFunctionIsKnown) {
  KnownFit known(false);
  known.fitted.draws.pop_back();
  known.fitted.draws[0][0].weights[3] = known.fitted.draws[0][0].weights[4] = known.fitted.draws[0][0].weights[5] = 0;
  const ColumnFunction function(known.fitted, 0, 1);
  const auto found = importance(function, known.data, 200, 5);
  const auto f = function.by_draw(known.data)[0];
  const double variance = known.fitted.encoding.target_sd() * known.fitted.encoding.target_sd() * 0.25;
  for (const Importance& i : found) {
    if (i.column == 2) {  // its weights are 0
      EXPECT_NEAR(i.loss, 0, 1e-9);
      EXPECT_NEAR(i.error, 0, 1e-9);
      continue;
    }
    const std::size_t first = function.columns()[i.column].first, count = function.columns()[i.column].count;
    std::vector<double> part(40), rest(40);
    for (std::size_t row = 0; row < 40; ++row) {
      for (std::size_t k = first; k < first + count; ++k) part[row] += known.weight(0, k) * known.input(row, k);
      rest[row] = known.fitted.encoding.target_mean() +
                  known.fitted.encoding.target_sd() * static_cast<double>(known.data.y[row]) - f[row];
    }
    double expected = 0;
    const double part_mean = mean_of(part), rest_mean = mean_of(rest);
    for (std::size_t row = 0; row < 40; ++row)
      expected += 2 * (part[row] - part_mean) * (part[row] - part_mean + rest[row] - rest_mean) / 40 / (2 * variance);
    EXPECT_NEAR(i.loss, expected, 3.9 * i.error) << i.column;
    EXPECT_LT(i.error, 0.2 * std::abs(expected) + 0.2) << i.column;
  }
  for (std::size_t i = 1; i < found.size(); ++i) EXPECT_GE(found[i - 1].loss, found[i].loss);
  EXPECT_EQ(importance(function, known.data, 2, 5)[0].loss, importance(function, known.data, 2, 5)[0].loss);
}

// Of an affine function a column's value is its weight times the cell's distance from the background's mean.
TEST(Attribution, OfAnAffineFunctionIsItsParts) {
  const KnownFit known(false);
  const ColumnFunction function(known.fitted, 0, 2);
  const Attribution a = attribution(function, known.data, 3, known.data, 0.95, 1);
  for (const ColumnShare& share : a.shares) {
    const auto& column = function.columns()[share.column];
    double expected = 0;
    for (std::size_t k = column.first; k < column.first + column.count; ++k) {
      double mean = 0;
      for (std::size_t row = 0; row < 40; ++row) mean += known.input(row, k) / 40;
      expected += (known.weight(0, k) + known.weight(1, k)) / 2 * (known.input(3, k) - mean);
    }
    EXPECT_NEAR(share.value.mean, expected, 1e-3) << share.column;
    EXPECT_EQ(share.cell, function.cell(share.column, known.data, 3));
  }
  EXPECT_NEAR(a.prediction, predictions(function, known.data)[3], 1e-6);
  EXPECT_NEAR(a.mean, mean_of(predictions(function, known.data)), 1e-6);
}

// All 24 orders of a network's four columns, on the same background. Caught: a column that leaves its missing marker
// behind.
TEST(Attribution, OfANetworkAgreesWithAllOrders) {
  const KnownFit known(true);
  const ColumnFunction function(known.fitted, 0, 1);
  std::vector<std::size_t> order{0, 1, 2, 3};
  std::vector<double> exact(4);
  do {
    Dataset rows = known.data;
    auto before = predictions(function, rows);
    for (const std::size_t column : order) {
      for (std::size_t b = 0; b < 40; ++b) function.put(column, known.data, 11, rows, b);
      const auto after = predictions(function, rows);
      for (std::size_t b = 0; b < 40; ++b) exact[column] += (after[b] - before[b]) / 40 / 24;
      before = after;
    }
  } while (std::next_permutation(order.begin(), order.end()));
  std::vector<std::size_t> repeated;  // fifty orders from each background row
  for (std::size_t i = 0; i < 2000; ++i) repeated.push_back(i % 40);
  const Attribution a = attribution(function, known.data, 11, subset(known.data, repeated), 0.95, 9);
  const double largest = std::abs(exact[a.shares[0].column]);
  double sum = 0;
  for (const ColumnShare& share : a.shares) {
    sum += share.value.mean;
    // The error holds the background's spread, too, which both have in common here: it is too large, if anything.
    EXPECT_NEAR(share.value.mean, exact[share.column], 3.9 * share.error) << share.column;
    EXPECT_LT(share.error, 0.05 * largest);
  }
  EXPECT_NEAR(sum, a.prediction - a.mean, 1e-9);
  for (std::size_t i = 1; i < a.shares.size(); ++i)
    EXPECT_GE(std::abs(a.shares[i - 1].value.mean), std::abs(a.shares[i].value.mean));
  EXPECT_THROW(attribution(function, known.data, 40, known.data, 0.95, 9), InputError);
}

TEST(Band, IsOfTheSortedDraws) {
  const Band band = band_of({3, 1, 2, 5, 4}, 0.5);
  EXPECT_EQ(band.mean, 3);
  EXPECT_EQ(band.lower, 2);
  EXPECT_EQ(band.upper, 4);
}

TEST(SampledRows, AreDifferentAndInOrder) {
  Rng rng(2);
  const auto few = sampled_rows(100, 10, rng);
  EXPECT_EQ(few.size(), 10u);
  for (std::size_t i = 1; i < few.size(); ++i) EXPECT_LT(few[i - 1], few[i]);
  EXPECT_EQ(sampled_rows(3, 10, rng), (std::vector<std::size_t>{0, 1, 2}));
}

}  // namespace
}  // namespace mbnn
