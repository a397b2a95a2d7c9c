// Four public tables with two classes each: accuracy, likelihood and calibration over 20 splits.
#include <fmt/format.h>

#include "apps/reproduce/fit_job.h"
#include "apps/reproduce/methods.h"
#include "apps/reproduce/tables.h"

namespace mbnn::studies {

Study classification_study(const StudyOptions& options) {
  Study study;
  study.name = "classification";
  study.sets = kClassificationSets;
  study.methods = classification_methods();
  study.keys = {"set", "method", "split"};
  study.figures = kClassificationFigures;
  study.headline = {"accuracy", "nll", "ece", "width1", "width2"};
  study.jobs = [=] {
    const auto methods = chosen(options.methods, classification_methods(), "--methods");
    std::vector<DataSet> sets;
    for (const auto& name : chosen(options.sets, kClassificationSets, "--sets"))
      sets.push_back(read_data_set(name, options));
    std::vector<Job> jobs;
    for (std::size_t split : options.splits)
      for (const DataSet& set : sets)
        for (const std::string& method : methods)
          jobs.push_back(fit_job({set.name, method, std::to_string(split)},
                                 split_task(set, split, as_method(method, preset(options), options), options)));
    return jobs;
  };
  study.table = [=](const std::vector<Row>& rows) {
    MarkdownTable table(
        {"data", "method", "splits", "accuracy", "NLL", "ECE", "active nodes", "CPU s a fit", "gradients a fit"});
    for (const std::string& set : kClassificationSets)
      for (const std::string& method : classification_methods()) {
        const auto mine = select(rows, {{"set", set}, {"method", method}});
        if (mine.empty()) continue;
        table.add({title(set), method_title(method), std::to_string(mine.size()),
                   mean_and_error(summarise(mine, "accuracy"), 3), mean_and_error(summarise(mine, "nll"), 3),
                   mean_and_error(summarise(mine, "ece"), 3), mean_widths(mine),
                   mean_only(summarise(mine, "cpu_seconds"), 1),
                   fmt::format("{:.2g}", summarise(mine, "gradients").mean)});
      }
    return setting_line(options) + table.text() + "\nThe paper has no tables of this kind to stand beside.\n";
  };
  return study;
}

}  // namespace mbnn::studies
