// A fit as its draws are used: read once from the file, or made in memory.
#pragma once

#include <vector>

#include "mbnn/run/run.h"
#include "mbnn/tables/configuration.h"

namespace mbnn {

// Draws are in order of chain, then iteration.
struct FittedModel {
  Configuration configuration;
  Encoding encoding;
  Model model;
  std::vector<std::vector<State>> draws;                 // by chain
  std::vector<std::vector<std::vector<double>>> traces;  // by chain, draw, trace

  static FittedModel read(const FitFile& file);
  // Takes the draws of a run in memory.
  void take(DrawLists lists);

  std::size_t draw_count() const;
  TableOptions table_options() const;  // to read a later table as the training table was read
};

// The rows of a later table as the fit sees them; the target need not be among its columns.
Dataset read_rows(const std::string& table_path, const FittedModel& fitted);

}  // namespace mbnn
