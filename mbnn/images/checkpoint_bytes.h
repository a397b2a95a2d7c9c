// States of image networks as bytes, for checkpoints and network files. What is read is believed only if it fits.
#pragma once

#include "mbnn/core/bytes.h"
#include "mbnn/images/model.h"

namespace mbnn {

// To be raised whenever a checkpoint's bytes change, or the rules by which a run goes on from them.
inline constexpr std::uint32_t kImageCheckpointVersion = 0x6d620002;
// Throws InputError for the checkpoint of another version.
void check_image_version(ByteReader& in);

void write_image_state(const ImageState& state, ByteWriter& out);
// Throws ContentError for a state that cannot be one of this architecture. One without gates stands for none.
ImageState read_image_state(ByteReader& in, const ImageArchitecture& architecture);

// The others throw it, too: unless each unit has channels that it can have, each once;
void check_gates(const ImageArchitecture& architecture, const Gates& gates);
// for numbers that are not finite;
void check_numbers(const ImageState& state);
// unless there are as many values, or none where a run has not come to them yet.
void check_length(const std::vector<float>& values, std::size_t length);

}  // namespace mbnn
