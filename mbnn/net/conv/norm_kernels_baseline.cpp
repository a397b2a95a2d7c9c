// The norm kernels for any processor, and the choice between the sets.
#define MBNN_ISA isa_baseline
#include "mbnn/net/conv/norm_kernels.h"
#include "mbnn/net/conv/norm_kernels_isa.inc"

namespace mbnn {

#ifdef MBNN_HAVE_AVX2
namespace isa_avx2 {
extern const NormKernels kNormKernels;
}
#endif

const NormKernels& baseline_norm_kernels() { return isa_baseline::kNormKernels; }

const NormKernels& norm_kernels() {
#ifdef MBNN_HAVE_AVX2
  static const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2) return isa_avx2::kNormKernels;
#endif
  return isa_baseline::kNormKernels;
}

}  // namespace mbnn
