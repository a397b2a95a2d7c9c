#include "tests/support/kolmogorov.h"

#include <algorithm>
#include <cmath>

namespace mbnn {

double kolmogorov_distance(std::vector<double> a, std::vector<double> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  double distance = 0;
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const double x = std::min(a[i], b[j]);
    while (i < a.size() && a[i] <= x) ++i;
    while (j < b.size() && b[j] <= x) ++j;
    distance = std::max(distance, std::abs(static_cast<double>(i) / static_cast<double>(a.size()) -
                                           static_cast<double>(j) / static_cast<double>(b.size())));
  }
  return distance;
}

double kolmogorov_distance_from_law(std::vector<double> probabilities) {
  std::sort(probabilities.begin(), probabilities.end());
  const double n = static_cast<double>(probabilities.size());
  double distance = 0, before = 0;
  for (const double p : probabilities) {
    distance = std::max({distance, p - before / n, (before + 1) / n - p});
    ++before;
  }
  return distance;
}

}  // namespace mbnn
