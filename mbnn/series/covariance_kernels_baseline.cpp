// The kernel for any processor, and the choice of the fastest.
#define MBNN_ISA covariance_baseline
#include "mbnn/series/covariance_kernels.inc"
#include "mbnn/series/moving_covariance.h"

namespace mbnn {

#ifdef MBNN_HAVE_AVX2
extern const CovarianceKernels kAvx2CovarianceKernels;
#endif

const CovarianceKernels& baseline_covariance_kernels() {
  static constexpr CovarianceKernels kernels{covariance_baseline::update};
  return kernels;
}

const CovarianceKernels& covariance_kernels() {
#ifdef MBNN_HAVE_AVX2
  static const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2) return kAvx2CovarianceKernels;
#endif
  return baseline_covariance_kernels();
}

}  // namespace mbnn
