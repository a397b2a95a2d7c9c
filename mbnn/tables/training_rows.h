// The encoded training rows of a fit, as its file holds them: what chains need to go on.
#pragma once

#include "mbnn/net/dense/dataset.h"
#include "mbnn/store/fit_file.h"
#include "mbnn/tables/columns/encoding.h"

namespace mbnn {

// Storing them marks the file as complete enough to be resumed.
void store_data(FitFile& file, const Dataset& data);
// As they were encoded. ContentError for rows that the encoding cannot have made.
Dataset stored_data(const FitFile& file, const Encoding& encoding);
Dataset stored_target(const FitFile& file, const Encoding& encoding);  // without the inputs
std::size_t stored_rows(const FitFile& file);

// Rows spread evenly over the table, without their targets: where a diagnosis compares predictions.
Dataset reference_rows(const Dataset& data);

}  // namespace mbnn
