#include <cmath>

#include "bench/measures.h"
#include "bench/timing.h"
#include "mbnn/series/kalman.h"
#include "mbnn/series/series_problem.h"

namespace mbnn::bench {

namespace {

constexpr std::size_t kSteps = 100000;

// A filter and a joint draw of the path at kSteps steps.
nlohmann::json state_draw(const SeriesOptions& options) {
  SeriesParameters parameters = SeriesParameters::start(options, 1);
  parameters.level = 0.01;
  for (double& variance : parameters.season) variance = 0.01;
  const StateSpace space(options, parameters);
  Rng rng(1, 0);
  const auto path = space.simulate(kSteps, rng);
  std::vector<double> y;
  for (std::size_t t = 0; t < kSteps; ++t) y.push_back(space.observe(&path[t * space.states()]) + rng.normal());
  double filter = 1e300, draw = 1e300;
  for (int round = 0; round < 5; ++round) {
    double begin = now(Clock::cpu);
    volatile double sink = log_likelihood(space, y);
    filter = std::min(filter, now(Clock::cpu) - begin);
    begin = now(Clock::cpu);
    const Gains gains(space, y);
    sink = draw_path(gains, y, rng)[0];
    draw = std::min(draw, now(Clock::cpu) - begin);
    (void)sink;
  }
  return {{"steps", kSteps}, {"filter_seconds", filter}, {"draw_seconds", draw}};
}

// The paper's mBNN setting on 240 days with eight regressors.
double paper_seconds() {
  SeriesConfiguration c = SeriesConfiguration::paper();
  c.base.encoding.target = "y";
  c.date = "t";
  c.settle();
  Table table;
  table.path = "generated";
  table.rows = 240;
  Rng rng(2, 0);
  Column time{"t", ColumnKind::numeric, {}, {}, {}}, target{"y", ColumnKind::numeric, {}, {}, {}};
  std::vector<Column> inputs;
  for (int k = 0; k < 8; ++k) inputs.push_back({"x" + std::to_string(k), ColumnKind::numeric, {}, {}, {}});
  double level = 0;
  for (std::size_t t = 0; t < table.rows; ++t) {
    time.numbers.push_back(static_cast<double>(t));
    for (Column& input : inputs) input.numbers.push_back(rng.normal());
    level = 0.95 * level + 0.3 * rng.normal();
    target.numbers.push_back(level + std::abs(inputs[0].numbers[t]) * inputs[1].numbers[t] + 0.3 * rng.normal());
  }
  table.columns = {time, target};
  table.columns.insert(table.columns.end(), inputs.begin(), inputs.end());
  std::vector<std::string> notes;
  const PreparedSeries prepared = prepare_series(c, table, notes);
  const double begin = now(Clock::cpu);
  sample_series(c, prepared, {.threads = 1});
  return now(Clock::cpu) - begin;
}

}  // namespace

nlohmann::json series() {
  SeriesOptions level, season, day, year, hours;
  season.seasons = {7};
  day.seasons = {24};
  year.seasons = {7, Season(365.25, 10)};
  hours.seasons = {24, Season(168, 10), Season(8766, 10)};
  return {{"level", state_draw(level)}, {"season", state_draw(season)}, {"day", state_draw(day)},
          {"year", state_draw(year)},   {"hours", state_draw(hours)},   {"paper_seconds", paper_seconds()}};
}

}  // namespace mbnn::bench
