// What the checkpoints of all kinds of runs share: they begin with the version of their layout.
#pragma once

#include <cstdint>

#include "mbnn/core/bytes.h"

namespace mbnn {

// Takes the version from the front. Throws InputError if it is another one than `expected`.
void check_version(ByteReader& in, std::uint32_t expected);

}  // namespace mbnn
