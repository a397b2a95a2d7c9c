#include "mbnn/core/rng.h"

#include <bit>
#include <cmath>
#include <numbers>

namespace mbnn {

namespace {

// SplitMix64: spreads a seed over the 256 bits of state.
std::uint64_t split_mix(std::uint64_t& x) {
  std::uint64_t z = (x += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

}  // namespace

Rng::Rng(std::uint64_t seed, std::uint64_t stream) {
  std::uint64_t x = seed;
  std::uint64_t y = split_mix(x) ^ (stream * 0xd1342543de82ef95ull + 0x632be59bd9b4e019ull);
  for (auto& word : state_) word = split_mix(y);
}

Rng Rng::from_state(const State& state) {
  Rng rng;
  rng.state_ = state;
  return rng;
}

std::uint64_t Rng::bits() {
  auto& s = state_;
  const std::uint64_t result = std::rotl(s[0] + s[3], 23) + s[0];
  const std::uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = std::rotl(s[3], 45);
  return result;
}

double Rng::uniform() { return (static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52; }

std::uint64_t Rng::below(std::uint64_t bound) {
  const std::uint64_t limit = -bound % bound;  // 2^64 mod bound: values under it would be over-represented
  for (;;) {
    const std::uint64_t x = bits();
    if (x >= limit) return x % bound;
  }
}

// Marsaglia's polar method without the spare value: the state is then the four words and nothing else.
double Rng::normal() {
  for (;;) {
    const double u = 2 * uniform() - 1, v = 2 * uniform() - 1;
    const double s = u * u + v * v;
    if (s < 1 && s > 0) return u * std::sqrt(-2 * std::log(s) / s);
  }
}

double Rng::exponential() { return -std::log(uniform()); }

// Marsaglia and Tsang (2000); a shape under 1 is boosted.
double Rng::gamma(double shape) {
  if (shape < 1) {
    const double boosted = gamma(shape + 1);
    return boosted * std::pow(uniform(), 1 / shape);
  }
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = normal();
    double v = 1 + c * x;
    if (v <= 0) continue;
    v = v * v * v;
    if (std::log(uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

double Rng::cauchy() { return std::tan(std::numbers::pi * (uniform() - 0.5)); }

double Rng::student_t(double degrees) {
  const double z = normal();
  return z / std::sqrt(2 * gamma(degrees / 2) / degrees);
}

}  // namespace mbnn
