// The norm kernels for processors with AVX2 and FMA.
#define MBNN_ISA isa_avx2
#include "mbnn/net/conv/norm_kernels.h"
#include "mbnn/net/conv/norm_kernels_isa.inc"
