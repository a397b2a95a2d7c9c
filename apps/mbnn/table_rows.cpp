#include "apps/mbnn/table_rows.h"

#include <fmt/format.h>

#include "apps/mbnn/session.h"
#include "mbnn/core/error.h"
#include "mbnn/mbnn.h"
#include "mbnn/sample/shared_options.h"
#include "mbnn/tables/configuration_options.h"

namespace mbnn::app {

bool of_images(const RowArguments& arguments) {
  refuse_swapped(arguments.fit, arguments.data);
  return kind_of(FitFile::open(arguments.fit, FitFile::Mode::read)) == "image";
}

TableFit read_fit(const std::string& path, std::vector<std::string>& notes) {
  FitFile file = FitFile::open(path, FitFile::Mode::read);
  const auto problem = problem_of(file);
  if (problem->kind() == "image")
    throw InputError(fmt::format("{} is a fit of images; this is for fits of tables", path));
  if (problem->kind() == "series")
    throw InputError(fmt::format("{} is the fit of a series: use mbnn series forecast or mbnn series evaluate", path));
  require_draws(file, *problem, notes);
  FittedModel fitted = FittedModel::read(file);
  return {std::move(file), std::move(fitted)};
}

Table read_later_table(const FittedModel& fitted, const RowArguments& arguments) {
  TableOptions options = fitted.table_options();
  if (arguments.delimiter) options.delimiter = arguments.delimiter;
  options.copied = arguments.keep;
  return read_table(arguments.data, options);
}

FittedRows read_fit_and_rows(const RowArguments& arguments, Encoding::Needs needs, const Common& common) {
  std::vector<std::string> unfinished;
  TableFit fit = read_fit(arguments.fit, unfinished);
  FittedRows loaded{std::move(fit.file), std::move(fit.fitted), {}, {}};
  Table table = read_later_table(loaded.fitted, arguments);
  std::vector<std::string> notes = table.notes;
  notes.insert(notes.end(), unfinished.begin(), unfinished.end());
  loaded.kept = std::move(table.copies);
  loaded.data = loaded.fitted.encoding.encode(std::move(table), needs, notes);
  say(common, notes);
  return loaded;
}

void declare_delimiter(OptionList& options, std::optional<char>& delimiter) {
  options.add("delimiter", delimiter_value(delimiter, "as for the fit, or told from the file"), "between cells")
      .basic()
      .known_as(delimiter_words());
}

}  // namespace mbnn::app
