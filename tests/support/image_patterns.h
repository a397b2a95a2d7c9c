// Batches with a pattern to learn, and a model, for the tests of image chains and baselines.
#pragma once

#include "mbnn/images/model.h"
#include "tests/support/conv_networks.h"

namespace mbnn {

ImageModel small_model(ImageArchitecture architecture);

// Four classes: rows, columns, both or neither are striped.
struct PatternBatch {
  std::vector<float> pixels;
  std::vector<std::int32_t> labels;

  PatternBatch(const ImageArchitecture& a, std::size_t count, std::uint64_t seed);
  ImageRows rows() const { return {pixels, labels}; }
};

}  // namespace mbnn
