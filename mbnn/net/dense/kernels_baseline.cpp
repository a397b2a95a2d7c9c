// The kernels for any processor.
#define MBNN_ISA isa_baseline
#include "mbnn/net/dense/kernels.h"
#include "mbnn/net/dense/kernels_isa.inc"

namespace mbnn {

extern const Kernels kBaselineKernels;
const Kernels kBaselineKernels{"baseline",
                               isa_baseline::forward,
                               isa_baseline::forward_positive,
                               isa_baseline::backward_input,
                               isa_baseline::backward_weights,
                               isa_baseline::products,
                               isa_baseline::add_node};

}  // namespace mbnn
