// The core's float32 multiply-add peak, against which the kernels are measured.
#pragma once

#include "bench/timing.h"

namespace mbnn::bench {

inline constexpr double kPeakFlops = 16384 * 16 * 8 * 2;  // of one peak_loop()

// Multiply-adds that wait for nothing: as many independent chains as hide the latency, and no memory. Returns a value
// that depends on all of them.
float peak_loop();

class Peak {
 public:
  void sample(double seconds = 0.02);
  double gflops() const { return kPeakFlops / fastest_.seconds() * 1e-9; }

 private:
  Fastest fastest_;
  volatile float sink_ = 0;  // so that no call is left out
};

}  // namespace mbnn::bench
