// Figure 1 of the paper: the predictive intervals of a plain and of a masked network on a noisy cubic.
#include <fmt/format.h>

#include <numeric>

#include "apps/reproduce/engine.h"
#include "apps/reproduce/fit_job.h"
#include "apps/reproduce/methods.h"
#include "apps/reproduce/simulated.h"
#include "apps/reproduce/tables.h"
#include "mbnn/judge/mixture.h"
#include "mbnn/tables/predictive.h"

namespace mbnn::studies {

namespace {

const std::vector<std::string> kNetworks{"bnn", "mbnn"};

// Appendix C.1 of the paper where it differs from its setting for UCI tables.
Configuration polynomial_configuration(const StudyOptions& options) {
  Configuration c;
  if (options.setting == "paper") {
    c = Configuration::paper();
    c.weight_prior.scale = 0.3;
    c.chain.draws = 1000;
    c.chain.thin = 10;
    c.chain.warmup = 3000;  // 300 burn-in samples, 10 iterations apart
    c.chain.mask_moves = 2;
  }
  return c;
}

// The picture's files: the training points, and the mean and 95% interval on a grid that leaves their range.
void write_bands(const FittedModel& fitted, const Table& table, const std::string& method, const JobContext& context) {
  std::string data = "x,y\n", bands = "x,truth,mean,lower,upper\n";
  for (std::size_t i = 0; i < Polynomial::training_rows; ++i)
    data += fmt::format("{:.6f},{:.6f}\n", table.columns[0].numbers[i], table.columns[1].numbers[i]);
  std::vector<double> x;
  for (int i = -100; i <= 100; ++i) x.push_back(0.05 * i);
  std::vector<std::string> notes;
  const Dataset grid = fitted.encoding.encode(points(x, x), Encoding::Needs::inputs, notes);
  Predictive(fitted).for_each_row(grid, context.threads, [&](const RowPrediction& row) {
    const double at = x[row.row];
    bands += fmt::format("{:.2f},{:.6g},{:.6g},{:.6g},{:.6g}\n", at, at * at * at,
                         mixture_mean(row.means, row.sds, row.weights),
                         mixture_quantile(0.025, row.means, row.sds, row.weights),
                         mixture_quantile(0.975, row.means, row.sds, row.weights));
  });
  write_whole(context.directory + "/data.csv", data);
  write_whole(fmt::format("{}/bands_{}.csv", context.directory, method), bands);
}

Job polynomial_job(const std::string& method, std::size_t number, const StudyOptions& options) {
  const Polynomial data = polynomial_data(options.seed + number - 1);
  FitTask task;
  task.configuration = as_method(method, polynomial_configuration(options), options);
  task.configuration.data = fmt::format("noisy polynomial {}", number);
  task.configuration.encoding.target = std::string("y");
  task.configuration.encoding.task = Task::regression;
  task.configuration.seed = options.seed + number - 1;
  task.table = data.table;
  task.checksum = data.checksum;
  task.training_rows.resize(Polynomial::training_rows);
  std::iota(task.training_rows.begin(), task.training_rows.end(), std::size_t{0});
  task.test_rows.resize(Polynomial::test_rows);
  std::iota(task.test_rows.begin(), task.test_rows.end(), Polynomial::training_rows);
  if (number == 1)
    task.then = [table = data.table, method](const FittedModel& fitted, const JobContext& context) {
      write_bands(fitted, *table, method, context);
    };
  return fit_job({method, std::to_string(number)}, std::move(task));
}

std::string polynomial_table(const std::vector<Row>& rows, const StudyOptions& options) {
  MarkdownTable table({"method", "data sets", "coverage", "paper's coverage", "width of the interval", "RMSE", "NLL",
                       "CRPS", "active nodes", "CPU s a fit", "gradients a fit"});
  for (const std::string& method : kNetworks) {
    const auto mine = select(rows, {{"method", method}});
    if (mine.empty()) continue;
    table.add({method_title(method), std::to_string(mine.size()), mean_and_error(summarise(mine, "coverage"), 3),
               method == "bnn" ? "0.986" : "0.953", mean_and_error(summarise(mine, "interval_width"), 1),
               mean_and_error(summarise(mine, "rmse"), 2), mean_and_error(summarise(mine, "nll"), 2),
               mean_and_error(summarise(mine, "crps"), 2), mean_widths(mine),
               mean_only(summarise(mine, "cpu_seconds"), 1), fmt::format("{:.2g}", summarise(mine, "gradients").mean)});
  }
  return fmt::format(
             "Setting `{}`; means ± standard errors over data sets of 20 points, each judged on 1000 new points.\n\n",
             options.setting) +
         table.text() + "\nThe paper's coverage (Section 6.1) is that of a single data set.\n";
}

}  // namespace

Study polynomial_study(const StudyOptions& options) {
  Study study;
  study.name = "polynomial";
  study.methods = kNetworks;
  study.keys = {"method", "split"};
  study.figures = kRegressionFigures;
  study.headline = {"coverage", "interval_width", "rmse", "nll", "width1", "width2"};
  study.jobs = [=] {
    std::vector<Job> jobs;
    for (std::size_t number : options.splits)
      for (const std::string& method : chosen(options.methods, kNetworks, "--methods"))
        jobs.push_back(polynomial_job(method, number, options));
    return jobs;
  };
  study.table = [=](const std::vector<Row>& rows) { return polynomial_table(rows, options); };
  return study;
}

}  // namespace mbnn::studies
