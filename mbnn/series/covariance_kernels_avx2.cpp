// The kernel for processors with AVX2 and FMA.
#define MBNN_ISA covariance_avx2
#include "mbnn/series/covariance_kernels.inc"
#include "mbnn/series/moving_covariance.h"

namespace mbnn {

extern const CovarianceKernels kAvx2CovarianceKernels;
const CovarianceKernels kAvx2CovarianceKernels{covariance_avx2::update};

}  // namespace mbnn
