// The peak loop for processors with AVX2 and FMA.
#define MBNN_ISA isa_avx2
#include "bench/peak_loop.inc"
