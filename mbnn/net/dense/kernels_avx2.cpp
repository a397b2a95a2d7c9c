// The kernels for processors with AVX2 and FMA.
#define MBNN_ISA isa_avx2
#include "mbnn/net/dense/kernels.h"
#include "mbnn/net/dense/kernels_isa.inc"

namespace mbnn {

extern const Kernels kAvx2Kernels;
const Kernels kAvx2Kernels{"avx2",
                           isa_avx2::forward,
                           isa_avx2::forward_positive,
                           isa_avx2::backward_input,
                           isa_avx2::backward_weights,
                           isa_avx2::products,
                           isa_avx2::add_node};

}  // namespace mbnn
