// The encoded training rows of a fit, as its file holds them: what chains need to go on.
#pragma once

#include <span>

#include "mbnn/net/dense/dataset.h"
#include "mbnn/store/fit_file.h"

namespace mbnn {

// Storing them marks the file as complete enough to be resumed.
void store_data(FitFile& file, const Dataset& data);
Dataset stored_data(const FitFile& file);
Dataset stored_target(const FitFile& file);  // without the inputs
std::size_t stored_rows(const FitFile& file);

// The rows listed, in this order.
Dataset subset(const Dataset& data, std::span<const std::size_t> rows);

// Rows spread evenly over the table, without their targets: where a diagnosis compares predictions.
Dataset reference_rows(const Dataset& data);

}  // namespace mbnn
