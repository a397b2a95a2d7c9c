// Table 1 of the paper, and its appendix table over λ: four regression tables, 20 splits.
#include <fmt/format.h>

#include <algorithm>

#include "apps/reproduce/fit_job.h"
#include "apps/reproduce/methods.h"
#include "apps/reproduce/paper.h"
#include "apps/reproduce/tables.h"

namespace mbnn::studies {

namespace {

const std::vector<std::string> kLambdas{"0.075", "0.1", "0.125", "sampled", "validated"};

std::vector<std::string> cells_of(const std::vector<Row>& rows) {
  return {mean_and_error(summarise(rows, "coverage"), 3),
          mean_and_error(summarise(rows, "rmse"), 3),
          mean_and_error(summarise(rows, "nll"), 3),
          mean_and_error(summarise(rows, "crps"), 3),
          mean_widths(rows),
          mean_only(summarise(rows, "cpu_seconds"), 1),
          fmt::format("{:.2g}", summarise(rows, "gradients").mean)};
}

std::vector<std::string> paper_cells(const PaperFigure& p) {
  auto pair = [](double mean, double error) { return fmt::format("{:.3f} ± {:.3f}", mean, error); };
  return {pair(p.coverage, p.coverage_error),
          pair(p.rmse, p.rmse_error),
          pair(p.nll, p.nll_error),
          pair(p.crps, p.crps_error),
          fmt::format("({}, {})", p.width1, p.width2),
          "",
          ""};
}

std::vector<std::string> join(std::vector<std::string> first, const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// Ours and the paper's line for every set and every value of the second key column.
std::string comparison(const std::vector<Row>& rows, const std::string& column, const std::vector<std::string>& values,
                       const std::function<std::string(const std::string&)>& value_title,
                       const std::function<const PaperFigure*(const std::string&, const std::string&)>& paper,
                       const StudyOptions& options) {
  MarkdownTable table({"data", column, "by", "splits", "coverage", "RMSE", "NLL", "CRPS", "active nodes", "CPU s a fit",
                       "gradients a fit"});
  for (const std::string& set : kRegressionSets)
    for (const std::string& value : values) {
      const auto mine = select(rows, {{"set", set}, {column, value}});
      if (mine.empty()) continue;
      table.add(join({title(set), value_title(value), "ours", std::to_string(mine.size())}, cells_of(mine)));
      if (const PaperFigure* figure = paper(set, value))
        table.add(join({title(set), value_title(value), "*paper*", "*20*"}, paper_cells(*figure)));
    }
  return setting_line(options) + table.text() +
         "\n*paper*: Table 1 and the appendix table over λ of the paper, on 20 splits of its own.\n";
}

std::string as_is(const std::string& text) { return text; }

void set_lambda(Configuration& c, const std::string& value) {
  if (value == "sampled")
    c.lambda_choice = LambdaChoice::learnt;
  else if (value == "validated")
    c.lambda_choice = LambdaChoice::validated;
  else
    c.lambda = std::stod(value);
}

// Splits come first: whenever the study is stopped, all sets and methods have seen about as many.
std::vector<Job> jobs_by_split(const StudyOptions& options, const std::vector<std::string>& values,
                               const std::function<Configuration(const std::string&)>& configuration) {
  std::vector<DataSet> sets;
  for (const auto& name : chosen(options.sets, kRegressionSets, "--sets")) sets.push_back(read_data_set(name, options));
  std::vector<Job> jobs;
  for (std::size_t split : options.splits)
    for (const DataSet& set : sets)
      for (const std::string& value : values)
        jobs.push_back(
            fit_job({set.name, value, std::to_string(split)}, split_task(set, split, configuration(value), options)));
  return jobs;
}

}  // namespace

Study uci_study(const StudyOptions& options) {
  Study study;
  study.name = "uci";
  study.sets = kRegressionSets;
  study.methods = regression_methods();
  study.keys = {"set", "method", "split"};
  study.figures = kRegressionFigures;
  study.headline = {"coverage", "rmse", "nll", "crps", "width1", "width2"};
  study.jobs = [=] {
    return jobs_by_split(options, chosen(options.methods, regression_methods(), "--methods"),
                         [&](const std::string& method) { return as_method(method, preset(options), options); });
  };
  study.table = [=](const std::vector<Row>& rows) {
    return comparison(
        rows, "method", regression_methods(), method_title,
        [](const std::string& set, const std::string& method) {
          return paper_figure(set, method, method == "mbnn" ? "0.1" : "");
        },
        options);
  };
  return study;
}

Study lambda_study(const StudyOptions& options) {
  Study study;
  study.name = "lambda";
  study.sets = kRegressionSets;
  study.methods = kLambdas;
  study.keys = {"set", "lambda", "split"};
  study.figures = kRegressionFigures;
  study.headline = {"coverage", "rmse", "nll", "crps", "width1", "width2", "lambda_mean"};
  study.jobs = [=] {
    return jobs_by_split(options, chosen(options.methods, kLambdas, "--methods"), [&](const std::string& value) {
      Configuration c = preset(options);
      set_lambda(c, value);
      adjust(c, options, value, {{"/lambda", "--lambda"}, {"/lambda_choice", "--lambda"}, {"/masks", "--masks"}});
      return c;
    });
  };
  study.table = [=](const std::vector<Row>& rows) {
    return comparison(
        rows, "lambda", kLambdas, as_is,
        [](const std::string& set, const std::string& value) { return paper_figure(set, "mbnn", value); }, options);
  };
  return study;
}

}  // namespace mbnn::studies
