// The whole library for users: tables, series and images in, fits on disk, predictions and diagnoses out.
#pragma once

#include <memory>
#include <string>

#include "mbnn/images/image_problem.h"
#include "mbnn/images/predictor.h"
#include "mbnn/images/scores.h"
#include "mbnn/judge/mixture.h"
#include "mbnn/run/inspect.h"
#include "mbnn/run/run.h"
#include "mbnn/series/forecast.h"
#include "mbnn/series/series_problem.h"
#include "mbnn/tables/answers.h"
#include "mbnn/tables/evaluation.h"
#include "mbnn/tables/predictive.h"
#include "mbnn/tables/table_problem.h"

namespace mbnn {

// "table", "series" or "image"; fits of the first version, which did not say it, are told apart by what they hold.
std::string kind_of(const FitFile& file);

// The problem that a fit was made of: to continue it, to judge it, to describe it. `images` is where the training
// images are now, if not where they were.
std::unique_ptr<Problem> open_problem(const FitFile& file, const std::string& images = "");

}  // namespace mbnn
