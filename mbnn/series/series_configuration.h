// Every choice of a series fit in one value: its structure, and the configuration of the regression inside.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "mbnn/series/structure.h"
#include "mbnn/tables/configuration.h"

namespace mbnn {

// Every choice of a series fit. What the regression and its sampler need stands in `base`.
struct SeriesConfiguration {
  Configuration base;
  SeriesOptions series;
  std::string date;  // the column; empty: found in the table
  // The training rows: the first so many, or up to a date; all if neither is given.
  std::optional<std::size_t> train_rows;
  std::optional<std::string> train_until;
  bool lengths_given = false;  // of the chains; else those of a series without regressors are shorter

  SeriesConfiguration();
  // The paper's setting of its search volumes: fixed r and level variance, Cauchy scale 1, few draws.
  static SeriesConfiguration paper();
  // Makes `base` what the regression asks for, and throws InputError naming the first value that makes no sense.
  void settle();
};

class OptionList;
OptionList options_of(SeriesConfiguration& configuration);
nlohmann::json to_json(const SeriesConfiguration& configuration);
SeriesConfiguration series_configuration_from_json(const nlohmann::json& json);

}  // namespace mbnn
