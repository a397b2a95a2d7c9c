// The norm kernels for processors with AVX2 and FMA.
#define MBNN_ISA isa_avx2
#include "mbnn/net/norm_kernels.h"
#include "mbnn/net/norm_kernels_isa.inc"
