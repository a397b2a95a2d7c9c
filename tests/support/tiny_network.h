// A network and five rows, small enough for the posterior of its widths to be computed by averaging over the prior.
#pragma once

#include <vector>

#include "mbnn/net/dense/dataset.h"
#include "mbnn/tables/state.h"

namespace mbnn {

Model tiny_network(std::vector<std::size_t> caps, double lambda);
Dataset tiny_data();

}  // namespace mbnn
