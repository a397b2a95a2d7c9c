// The inner loops between convolutions on one plane of channels, compiled for each instruction set: batch norm, the
// residual sum and the ReLU in one pass forward and two backward.
#pragma once

#include <cstddef>

namespace mbnn {

// A plane is [pixel][lane], with 8 or 16 lanes. Arrays of parameters and sums have one number a lane.
struct NormKernels {
  // mean and sum of squared deviations from it
  void (*moments)(const float* z, std::size_t pixels, std::size_t lanes, float* mean, float* squares);
  // h = relu(scale z + shift [+ scale_2 z_2] [+ extra]); z_2 and extra may be null
  void (*forward)(const float* z, const float* scale, const float* shift, const float* z_2, const float* scale_2,
                  const float* extra, float* h, std::size_t pixels, std::size_t lanes);
  // d = (d [+ extra]) where h > 0, else 0, in place. Sums of d, d (z - mean), [d (z_2 - mean_2)] and, before the
  // ReLU's own gate, of d h.
  struct Sums {
    float *d, *d_z, *d_z_2, *gate;
  };
  void (*backward_sums)(float* d, const float* extra, const float* h, const float* z, const float* mean,
                        const float* z_2, const float* mean_2, Sums sums, std::size_t pixels, std::size_t lanes);
  // d_z = a d + b z + c; d_z may be d
  void (*backward)(const float* d, const float* z, const float* a, const float* b, const float* c, float* d_z,
                   std::size_t pixels, std::size_t lanes);
};

// The fastest set that this processor runs, and the one that every processor runs.
const NormKernels& norm_kernels();
const NormKernels& baseline_norm_kernels();

}  // namespace mbnn
