// The theorems, seen: how fast the posterior closes in on functions of known smoothness, and how wide its networks are.
#include "apps/reproduce/concentration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "apps/reproduce/fit_job.h"
#include "apps/reproduce/methods.h"
#include "apps/reproduce/tables.h"
#include "mbnn/core/rng.h"
#include "mbnn/store/checksum.h"
#include "mbnn/tables/predictive.h"

namespace mbnn::studies {

namespace {

// Weierstrass' series in two variables: in the Hölder class of exponent β and in no smoother one.
double weierstrass(double beta, double a, double b) {
  double sum = 0;
  for (int k = 0; k < 20; ++k) {
    const double frequency = std::exp2(k) * std::numbers::pi;
    sum += std::exp2(-beta * k) * std::cos(frequency * a + k) * std::cos(frequency * b + 2 * k);
  }
  return sum;
}

double rough(std::span<const double> x) { return weierstrass(0.5, x[0], x[1]); }
double smooth(std::span<const double> x) { return 1.5 * weierstrass(1.5, x[0], x[1]); }

// g(g(x1 + x2) - g(x3 - x4)) with g(t) = |t|^1.5: in four inputs only 1.5-Hölder, but composed of functions of one
// variable that are 1.5-Hölder and of sums, which are as smooth as one likes.
double composed(std::span<const double> x) {
  auto power = [](double t) { return std::pow(std::abs(t), 1.5); };
  return power(power(x[0] + x[1]) - power(x[2] - x[3]));
}

const std::vector<std::string> kSizes{"100", "300", "1000", "3000", "10000"};

const std::vector<std::string> kFigures{"error",  "error_draws", "rate",     "width1",   "width2",
                                        "widest", "noise_error", "noise_sd", "gradients"};

// Root mean squares over the fresh rows, whose y is the true function: of the mean function, and of the draws.
Row errors_of(const FittedModel& fitted, const TrueFunction& function, const Table& table,
              std::span<const std::size_t> fresh) {
  std::vector<std::string> notes;
  const Dataset data = fitted.encoding.encode(table, Encoding::Needs::inputs_and_target, notes, fresh);
  const auto values = Predictive(fitted).function_values(data);
  const double draws = static_cast<double>(values.size()), rows = static_cast<double>(data.rows);
  const double sd = fitted.encoding.target_sd();
  double of_mean = 0, of_draws = 0;
  for (std::size_t r = 0; r < data.rows; ++r) {
    double sum = 0;
    for (const auto& draw : values) {
      const double error = draw[r] - data.y[r];
      sum += error / draws;
      of_draws += error * error / (draws * rows);
    }
    of_mean += sum * sum / rows;
  }
  double widest = 0, noise = 0;
  const double true_variance = FunctionSample::noise_sd * FunctionSample::noise_sd;
  for (const auto& chain : fitted.draws)
    for (const State& state : chain) {
      std::size_t width = 0;
      for (const auto& layer : state.gates.active) width = std::max(width, layer.size());
      widest += static_cast<double>(width) / draws;
      noise += std::abs(state.noise_variance * sd * sd - true_variance) / draws;
    }
  return {{"error", cell(sd * std::sqrt(of_mean))},
          {"error_draws", cell(sd * std::sqrt(of_draws))},
          {"rate", cell(function.error_slope())},
          {"widest", cell(widest)},
          {"noise_error", cell(noise)}};
}

Job concentration_job(const TrueFunction& function, const std::string& size, std::size_t repetition,
                      const StudyOptions& options) {
  const std::size_t rows = std::stoul(size);
  const std::uint64_t seed = options.seed + repetition - 1;
  const FunctionSample sample = sample_function(function, rows, seed);
  FitTask task;
  task.configuration = as_method("mbnn", preset(options), options);
  task.configuration.data = fmt::format("{} function, {} rows, sample {}", function.name, size, repetition);
  task.configuration.encoding.target = std::string("y");
  task.configuration.encoding.task = Task::regression;
  task.configuration.seed = seed;
  task.table = sample.table;
  task.checksum = sample.checksum;
  task.training_rows.resize(rows);
  std::iota(task.training_rows.begin(), task.training_rows.end(), std::size_t{0});
  task.test_rows.resize(FunctionSample::fresh_rows);
  std::iota(task.test_rows.begin(), task.test_rows.end(), rows);
  task.more_figures = [&function, table = sample.table, fresh = task.test_rows](const FittedModel& fitted) {
    return errors_of(fitted, function, *table, fresh);
  };
  return fit_job({function.name, size, std::to_string(repetition)}, std::move(task));
}

std::string with_error(const Slope& slope) {
  return std::isnan(slope.error) ? fmt::format("{:.3f}", slope.value)
                                 : fmt::format("{:.3f} ± {:.3f}", slope.value, slope.error);
}

std::string concentration_table(const std::vector<Row>& rows, const StudyOptions& options) {
  MarkdownTable seen({"function", "n", "samples", "error of draws", "error of the mean", "error of the variance",
                      "active nodes", "widest layer", "CPU s a fit"});
  MarkdownTable slopes({"function", "β, d", "slope of the draws' error", "slope of the mean's error", "-β/(2β+d)",
                        "slope of the widest layer", "slope of the bound"});
  for (const TrueFunction& function : true_functions()) {
    std::vector<double> n, draws, mean, widest, bound;
    for (const std::string& size : kSizes) {
      const auto mine = select(rows, {{"function", function.name}, {"n", size}});
      if (mine.empty()) continue;
      seen.add({function.name, size, std::to_string(mine.size()), mean_and_error(summarise(mine, "error_draws"), 3),
                mean_and_error(summarise(mine, "error"), 3), mean_and_error(summarise(mine, "noise_error"), 3),
                mean_widths(mine), mean_and_error(summarise(mine, "widest"), 1),
                mean_only(summarise(mine, "cpu_seconds"), 1)});
      n.push_back(std::stod(size));
      draws.push_back(summarise(mine, "error_draws").mean);
      mean.push_back(summarise(mine, "error").mean);
      widest.push_back(summarise(mine, "widest").mean);
      bound.push_back(function.width_bound(n.back()));
    }
    if (n.size() < 2) continue;
    slopes.add({function.name, fmt::format("{}, {}", function.smoothness, function.dimension),
                with_error(log_log_slope(n, draws)), with_error(log_log_slope(n, mean)),
                fmt::format("{:.3f}", function.error_slope()), with_error(log_log_slope(n, widest)),
                fmt::format("{:.3f}", log_log_slope(n, bound).value)});
  }
  std::string about;
  for (const TrueFunction& function : true_functions())
    about += fmt::format("- `{}`: {}.\n", function.name, function.about);
  return fmt::format(
             "Setting `{}`; means ± standard errors over samples. Errors are root mean squares against the true "
             "function "
             "on {} fresh inputs: of the posterior's draws, and of its mean function; noise sd {}.\n\n{}\n",
             options.setting, FunctionSample::fresh_rows, FunctionSample::noise_sd, about) +
         seen.text() +
         "\nSlopes of the logarithm against log n, by least squares through the means above. The theorems' rates are "
         "upper bounds, up to powers of log n and for n to infinity.\n\n" +
         slopes.text();
}

}  // namespace

double TrueFunction::width_bound(double rows) const {
  return std::sqrt(std::pow(rows, dimension / (2 * smoothness + dimension)) * std::log(rows));
}

const std::vector<TrueFunction>& true_functions() {
  static const std::vector<TrueFunction> list{
      {"rough", "a Weierstrass series on the square, β = 0.5, d = 2", 2, 0.5, 2, rough},
      {"smooth", "the same with β = 1.5", 2, 1.5, 2, smooth},
      {"composed",
       "g(g(x1 + x2) - g(x3 - x4)), g(t) = |t|^1.5: d = 4, but β = 1.5 and K = 1 for the composition's rate", 4, 1.5, 1,
       composed},
  };
  return list;
}

FunctionSample sample_function(const TrueFunction& function, std::size_t rows, std::uint64_t seed) {
  Rng rng(seed, (1u << 22) + rows);  // a stream that no chain of a fit with this seed uses
  Table table;
  table.rows = rows + FunctionSample::fresh_rows;
  table.columns.resize(function.inputs + 1);
  for (std::size_t k = 0; k < function.inputs; ++k) table.columns[k].name = fmt::format("x{}", k + 1);
  table.columns.back().name = std::string("y");  // GCC 12 warns falsely of a plain literal
  std::vector<double> x(function.inputs);
  for (std::size_t r = 0; r < table.rows; ++r) {
    for (std::size_t k = 0; k < x.size(); ++k) {
      x[k] = -1 + 2 * rng.uniform();
      table.columns[k].numbers.push_back(x[k]);
    }
    const double noise = r < rows ? FunctionSample::noise_sd * rng.normal() : 0;
    table.columns.back().numbers.push_back(function.value(x) + noise);
  }
  Checksum checksum("function");
  for (const Column& column : table.columns) checksum.add(std::as_bytes(std::span(column.numbers)));
  return {std::make_shared<const Table>(std::move(table)), checksum.value()};
}

Slope log_log_slope(std::span<const double> x, std::span<const double> y) {
  const double n = static_cast<double>(x.size());
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0, residuals = 0;
  for (std::size_t i = 0; i < x.size(); ++i) mean_x += std::log(x[i]) / n, mean_y += std::log(y[i]) / n;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (std::log(x[i]) - mean_x) * (std::log(x[i]) - mean_x);
    xy += (std::log(x[i]) - mean_x) * (std::log(y[i]) - mean_y);
  }
  const double slope = xy / xx;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double residual = std::log(y[i]) - mean_y - slope * (std::log(x[i]) - mean_x);
    residuals += residual * residual;
  }
  return {slope, n < 3 ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(residuals / (n - 2) / xx)};
}

// Small samples come first, so that every function soon has a line; a repetition of all sizes follows another.
Study concentration_study(const StudyOptions& options) {
  std::vector<std::string> names;
  for (const TrueFunction& function : true_functions()) names.push_back(function.name);
  Study study;
  study.name = "concentration";
  study.sets = names;
  study.methods = kSizes;
  study.repetitions = "1-5";
  study.keys = {"function", "n", "split"};
  study.figures = kFigures;
  study.headline = {"error", "error_draws", "width1", "width2"};
  study.jobs = [=] {
    const auto sets = chosen(options.sets, names, "--sets");
    std::vector<Job> jobs;
    for (std::size_t repetition : options.splits)
      for (const std::string& size : chosen(options.methods, kSizes, "--methods"))
        for (const TrueFunction& function : true_functions())
          if (std::find(sets.begin(), sets.end(), function.name) != sets.end())
            jobs.push_back(concentration_job(function, size, repetition, options));
    return jobs;
  };
  study.table = [=](const std::vector<Row>& rows) { return concentration_table(rows, options); };
  return study;
}

}  // namespace mbnn::studies
