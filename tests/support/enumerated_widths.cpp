#include "tests/support/enumerated_widths.h"

#include <cmath>
#include <numeric>

#include "tests/support/mlp_reference.h"

namespace mbnn {

EnumeratedWidths enumerate_widths(const Model& model, const Dataset& data, const OfErrors& likelihood, double power,
                                  const OfErrors& function) {
  Rng rng(5);
  const int draws = 200000;
  const auto& caps = model.architecture.caps;
  const double strength = std::pow(model.width_prior.lambda * std::log(static_cast<double>(data.rows)), 5);
  EnumeratedWidths result;
  std::vector<double> means, mean_variances;  // within each pair of widths
  for (std::size_t s1 = 1; s1 <= caps[0]; ++s1)
    for (std::size_t s2 = 1; s2 <= caps[1]; ++s2) {
      const Shape shape{{1, s1, s2, 1}};
      const auto gate = reference::open_gates<double>(shape);
      double sum = 0, squares = 0;
      double of_function = 0, of_function_squares = 0, cross = 0;
      std::vector<double> w(shape.size());
      for (int i = 0; i < draws; ++i) {
        for (auto& v : w) v = rng.normal();
        double sse = 0;
        for (std::size_t r = 0; r < data.rows; ++r) {
          const double x = data.x[r];
          const double e = data.y[r] - reference::forward<double>(shape, w, {&x, 1}, gate)[0];
          sse += e * e;
        }
        const double value = likelihood(sse);
        sum += value;
        squares += value * value;
        const double weighted = value * function(sse);
        of_function += weighted;
        of_function_squares += weighted * weighted;
        cross += weighted * value;
      }
      const double mean = sum / draws;
      const double prior = std::exp(-power * strength * static_cast<double>(s1 * s1 + s2 * s2));
      result.mass.push_back(prior * mean);
      result.error.push_back(prior * std::sqrt((squares / draws - mean * mean) / draws));
      const double ratio = of_function / sum;
      means.push_back(ratio);
      mean_variances.push_back((of_function_squares - 2 * ratio * cross + ratio * ratio * squares) / (sum * sum));
    }
  const double total = std::accumulate(result.mass.begin(), result.mass.end(), 0.0);
  for (auto* values : {&result.mass, &result.error})
    for (double& value : *values) value /= total;
  double variance = 0;
  for (std::size_t i = 0; i < means.size(); ++i) {
    result.mean += result.mass[i] * means[i];
    variance += result.mass[i] * result.mass[i] * mean_variances[i];
  }
  for (std::size_t i = 0; i < means.size(); ++i) variance += std::pow(result.error[i] * (means[i] - result.mean), 2);
  result.mean_error = std::sqrt(variance);
  return result;
}

}  // namespace mbnn
