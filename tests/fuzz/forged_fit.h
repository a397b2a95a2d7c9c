// Whole fits whose rows are forged as an input says, with the checksums that belong to them; then all that is done with
// a fit is done with this one.
#pragma once

#include <string>

#include "tests/fuzz/target.h"

namespace mbnn::fuzz {

// The input is a list of edits of the fit at `base`: a byte that says what is changed, and what follows from it.
void use_forged(const std::string& base, Bytes input);
// Edits of each sort, some of which leave the fit as it is.
std::vector<std::string> edits_of(const std::string& base);

}  // namespace mbnn::fuzz
