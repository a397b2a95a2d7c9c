// Runs a fit by whatever method its configuration names, into the same kind of fit file.
#pragma once

#include "mbnn/tables/table_fit.h"

namespace mbnn {

// As run_fit, for every method. Returns false if stopped early; running again continues to the same bits. Throws
// InputError for a method that does not suit the target.
bool run_method(FitFile& file, TrainingData data, const RunOptions& options);

// Before more is asked of a fit: InputError if it cannot go on from where it is.
void check_checkpoints(const FitFile& file);

// Before a file is made: InputError if the method does not suit the target.
void check_method(Method method, Task task);

}  // namespace mbnn
