#include "mbnn/sample/birth_death.h"

#include <numeric>

#include "mbnn/core/error.h"
#include "mbnn/core/special.h"

namespace mbnn {

BirthDeath::BirthDeath(BirthDeathOptions options) : options_(options) {
  require(options.max_flips >= 1 && options.max_flips <= 10, "max_flips", options.max_flips, "must be from 1 to 10");
}

std::size_t BirthDeath::pool_size(std::size_t inactive, std::size_t flips) const {
  if (options_.birth == Rule::uniform) return flips;
  if (options_.candidates == 0) return inactive;
  return std::min(inactive, std::max(options_.candidates, flips));
}

namespace detail {

std::vector<std::size_t> spread_over_layers(std::vector<std::size_t> available, std::size_t count, Rng& rng) {
  std::size_t total = std::accumulate(available.begin(), available.end(), std::size_t{0});
  std::vector<std::size_t> chosen(available.size(), 0);
  for (; count > 0; --count, --total) {
    std::size_t ticket = rng.below(total), l = 0;
    while (ticket >= available[l]) ticket -= available[l++];
    --available[l];
    ++chosen[l];
  }
  return chosen;
}

double log_choose(std::size_t n, std::size_t k) {
  return mbnn::log_choose(static_cast<double>(n), static_cast<double>(k));
}

}  // namespace detail
}  // namespace mbnn
