// What a fit says of each training row without that row, from its draws alone.
#pragma once

#include <nlohmann/json.hpp>

#include "mbnn/judge/psis.h"
#include "mbnn/tables/fitted_model.h"

namespace mbnn {

// Weights undo the likelihood of the model; the density is that of predictions, which allow for outliers. So elpd is,
// up to sign and number, the nll of an evaluation. In units of the target. InputError if the draws are not of a chain.
LeaveOneOut leave_one_out(const FittedModel& fitted, const Dataset& training, std::size_t threads);

nlohmann::ordered_json to_json(const LeaveOneOut& loo);

}  // namespace mbnn
