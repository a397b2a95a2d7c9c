// A fit made by hand: a table of ten rows or more, and two draws of networks without any edge that counts, f = 0.5 and
// f = -1.
#pragma once

#include "mbnn/tables/fitted_model.h"

namespace mbnn {

struct MadeFit {
  FittedModel fitted;
  Dataset rows;

  // The target takes both values in turn. Those two are classes if they are 0 and 1.
  MadeFit(double first_value, double second_value, bool outliers, std::size_t count = 10);
};

}  // namespace mbnn
