// What chains of the masked network did, as findings and lines of a diagnosis, and what they have learnt.
#pragma once

#include "mbnn/judge/report.h"
#include "mbnn/run/problem.h"
#include "mbnn/tables/fitted_model.h"

namespace mbnn {

// Findings about the moves, and lines that count them; from the diagnosis' statistics.
void judge_moves(const FittedModel& fitted, Diagnosis& diagnosis);

// Traces in units of the target; the ratio of the chains' noise.
Evidence chain_evidence(const FitFile& file, const FittedModel& fitted);
// Adds predictions of a scaled target: by draw and then reference row.
void add_predictions(const FittedModel& fitted, const std::vector<std::vector<double>>& values, Evidence& evidence);

// Widths, weights and noise.
void describe_network(const FittedModel& fitted, Description& description);

}  // namespace mbnn
