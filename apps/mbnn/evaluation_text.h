// An evaluation as text: a line a figure, and what a constant prediction has.
#pragma once

#include "mbnn/tables/evaluation.h"

namespace mbnn::app {

void print_evaluation(const Evaluation& evaluation);

// The figures that are no number, by the name of the first; empty if all are.
std::string first_without_value(const Evaluation& evaluation);

}  // namespace mbnn::app
