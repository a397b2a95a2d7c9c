// Which nodes stay, and which established ones come and go: an accepted birth may be of a node that does nothing.
#pragma once

#include <cstddef>
#include <vector>

#include "mbnn/tables/state.h"

namespace mbnn {

struct Turnover {
  std::size_t came = 0, went = 0;  // established nodes that were born or died between the first draw and the last
  double standing = 0;             // established nodes in a draw, on average over draws and chains
};

// By layer, over all chains. Established is what stands in ten draws in a row, or in a tenth of a chain's if that is
// more; nothing is known of chains with fewer than twenty draws, and the result is empty if there are no others.
std::vector<Turnover> turnover(const std::vector<std::vector<State>>& chains);

}  // namespace mbnn
