// What mbnn explain has found, as text, JSON and a table.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/mbnn/row_format.h"
#include "mbnn/tables/explain/attribution.h"
#include "mbnn/tables/explain/effects.h"
#include "mbnn/tables/explain/importance.h"

namespace mbnn::app {

struct Explanation {
  std::string prediction;            // what is predicted
  std::vector<std::string> columns;  // by their numbers
  std::size_t rows = 0, shuffles = 0;
  double score = 0;  // mean log score of the rows
  std::vector<Importance> importance;
  std::vector<Effect> effects;
  std::vector<PairEffect> pairs;
  struct Row {
    std::size_t row;  // from 1
    Attribution attribution;
  };
  std::vector<Row> row_shares;
};

void print_explanation(const Explanation& explanation);
nlohmann::ordered_json to_json(const Explanation& explanation);
// One line for each number of it.
std::vector<std::string> lines_of(const Explanation& explanation, Format format);

}  // namespace mbnn::app
