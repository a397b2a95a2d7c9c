// What the verbs of series share with those of tables.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "apps/mbnn/verbs.h"

namespace mbnn::app {

void add_series_fit(CLI::App& series, Common& common, Action& action);
void add_series_forecast(CLI::App& series, Common& common, Action& action);
void add_series_evaluate(CLI::App& series, Common& common, Action& action);
void add_series_impact(CLI::App& series, Common& common, Action& action);
void add_series_cv(CLI::App& series, Common& common, Action& action);

}  // namespace mbnn::app
