// A table to a fit, and a later table to its rows, in a call each: what most programs want of the stages above.
#pragma once

#include <string>

#include "mbnn/tables/table_fit.h"

namespace mbnn {

// Reads the table, samples the posterior of the configuration's target on all cores, and stores the fit at `fit_path`,
// which must not exist yet. What was said about columns stands in the fit's notes.
FittedModel fit_table(const std::string& table_path, const std::string& fit_path, Configuration configuration);

// The rows of a later table as the fit sees them; the target need not be among its columns.
Dataset read_rows(const std::string& table_path, const FittedModel& fitted);

}  // namespace mbnn
