// The only source of randomness: xoshiro256++ with its own draws, so that a seed gives the same bits everywhere.
#pragma once

#include <array>
#include <cstdint>

namespace mbnn {

class Rng {
 public:
  using State = std::array<std::uint64_t, 4>;

  // Streams of one seed are independent: chain k of a fit uses stream k.
  explicit Rng(std::uint64_t seed, std::uint64_t stream = 0);
  static Rng from_state(const State& state);
  const State& state() const { return state_; }

  std::uint64_t bits();
  double uniform();                          // in (0, 1), never an end
  std::uint64_t below(std::uint64_t bound);  // in {0, ..., bound - 1}, without bias
  bool coin() { return bits() >> 63; }
  double normal();
  double exponential();
  double gamma(double shape);  // scale 1
  double cauchy();
  double student_t(double degrees);

 private:
  Rng() = default;
  State state_{};
};

}  // namespace mbnn
