#include "mbnn/net/dense/kernels.h"

namespace mbnn {

extern const Kernels kBaselineKernels;
#ifdef MBNN_HAVE_AVX2
extern const Kernels kAvx2Kernels;
#endif

const Kernels& baseline_kernels() { return kBaselineKernels; }

const Kernels& kernels() {
#ifdef MBNN_HAVE_AVX2
  static const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2) return kAvx2Kernels;
#endif
  return kBaselineKernels;
}

void pack_forward(const float* w, std::size_t inputs, std::size_t outputs, float* packed) {
  const Panels panels(outputs);
  for (std::size_t i = 0, j = 0; i < panels.count; j += panels.size(i), ++i) {
    const std::size_t p = panels.size(i);
    for (std::size_t q = 0; q < p; ++q) *packed++ = w[inputs * outputs + j + q];
    for (std::size_t k = 0; k < inputs; ++k)
      for (std::size_t q = 0; q < p; ++q) *packed++ = w[k * outputs + j + q];
  }
}

void pack_backward(const float* w, std::size_t inputs, std::size_t outputs, float* packed) {
  const Panels panels(inputs);
  for (std::size_t i = 0, k = 0; i < panels.count; k += panels.size(i), ++i)
    for (std::size_t j = 0; j < outputs; ++j)
      for (std::size_t q = 0; q < panels.size(i); ++q) *packed++ = w[(k + q) * outputs + j];
}

}  // namespace mbnn
