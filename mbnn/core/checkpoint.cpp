#include "mbnn/core/checkpoint.h"

namespace mbnn {

void check_version(ByteReader& in, std::uint32_t expected) {
  if (in.get<std::uint32_t>() != expected)
    throw InputError("the checkpoint was written by another version of mbnn: its draws can be used, but not continued");
}

}  // namespace mbnn
