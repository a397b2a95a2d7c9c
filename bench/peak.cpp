#define MBNN_ISA isa_baseline
#include "bench/peak_loop.inc"

#include "bench/peak.h"

namespace mbnn::bench {

#ifdef MBNN_HAVE_AVX2
namespace isa_avx2 {
float peak_loop();
}
#endif

float peak_loop() {
#ifdef MBNN_HAVE_AVX2
  static const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2) return isa_avx2::peak_loop();
#endif
  return isa_baseline::peak_loop();
}

void Peak::sample(double seconds) {
  fastest_.sample([&] { sink_ = peak_loop(); }, seconds);
}

}  // namespace mbnn::bench
