#include <mbnn/judge/convergence.h>
#include <mbnn/sample/density_sampler.h>

#include <cmath>
#include <cstdio>

// Twelve measurements with outliers: a location and a log scale, Student errors with 4 degrees, flat priors.
const double data[] = {9.8, 10.1, 9.9, 10.4, 9.7, 10.0, 10.2, 9.6, 10.3, 9.9, 14.0, 10.1};

double log_density(std::span<const double> x, std::span<double> gradient) {
  const double scale = std::exp(x[1]);
  double sum = 0;
  gradient[0] = gradient[1] = 0;
  for (double y : data) {
    const double z = (y - x[0]) / scale, slope = 5 * z / (4 + z * z);
    sum += -2.5 * std::log1p(z * z / 4) - x[1];
    gradient[0] += slope / scale;
    gradient[1] += slope * z - 1;
  }
  return sum;
}

int main() {
  mbnn::FunctionDensity density(log_density);
  std::vector<std::vector<double>> location(4), log_scale(4);  // by chain
  for (std::size_t chain = 0; chain < 4; ++chain) {
    mbnn::Rng rng(1, chain);
    const std::vector<double> start{10 + 3 * rng.normal(), rng.normal()};
    for (const auto& draw : mbnn::sample_density(density, start, {}, rng).positions) {
      location[chain].push_back(draw[0]);
      log_scale[chain].push_back(draw[1]);
    }
  }
  for (const auto& quantity : {location, log_scale}) {
    const mbnn::Convergence c = mbnn::convergence(quantity);
    std::printf("%7.3f +- %.3f, R-hat %.3f, %.0f effective draws\n", c.mean, c.sd, c.rhat, c.ess_bulk);
  }
}
