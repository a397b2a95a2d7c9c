// The fit of a table and the rows that it is applied to, for the verbs that need both.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/mbnn/verbs.h"
#include "mbnn/tables/fitted_model.h"

namespace mbnn::app {

struct RowArguments {
  std::string fit, data;
  std::optional<char> delimiter = {};
  std::vector<std::string> keep = {};  // columns whose cells are wanted as they are
};

struct TableFit {
  FitFile file;
  FittedModel fitted;
};

struct FittedRows {
  FitFile file;
  FittedModel fitted;
  Dataset data;
  std::vector<CopiedColumn> kept;
};

// A directory of images is read by the networks of an image fit.
bool of_images(const RowArguments& arguments);

// Reads the fit of a table, whether or not it is finished: that goes to the notes.
TableFit read_fit(const std::string& path, std::vector<std::string>& notes);
// Reads a later table as the fit read its own; the notes are those of the table.
Table read_later_table(const FittedModel& fitted, const RowArguments& arguments);
// Reads both; says what is to be known of them.
FittedRows read_fit_and_rows(const RowArguments& arguments, Encoding::Needs needs, const Common& common);

void declare_delimiter(OptionList& options, std::optional<char>& delimiter);

}  // namespace mbnn::app
