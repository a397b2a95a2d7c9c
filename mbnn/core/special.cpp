// Special functions by their stable forms: shifted exponentials, erfc for tails, rational approximations for quantiles.
#include "mbnn/core/special.h"

#include <math.h>  // lgamma_r, which <cmath> does not promise

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "mbnn/core/error.h"

namespace mbnn {
namespace {

template <std::size_t Size>
double polynomial(const std::array<double, Size>& coefficients, double x) {
  double sum = 0;
  for (auto c = coefficients.rbegin(); c != coefficients.rend(); ++c) sum = sum * x + *c;
  return sum;
}

// Wichura (1988), algorithm AS 241, routine PPND16: one ratio for the centre, one for each of two tail ranges.
using Coefficients = std::array<double, 8>;
constexpr Coefficients centre_top{3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                                  1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                                  3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr Coefficients centre_bottom{1.0,
                                     4.2313330701600911252e1,
                                     6.8718700749205790830e2,
                                     5.3941960214247511077e3,
                                     2.1213794301586595867e4,
                                     3.9307895800092710610e4,
                                     2.8729085735721942674e4,
                                     5.2264952788528545610e3};
constexpr Coefficients near_top{1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr Coefficients near_bottom{1.0,
                                   2.05319162663775882187e0,
                                   1.67638483018380384940e0,
                                   6.89767334985100004550e-1,
                                   1.48103976427480074590e-1,
                                   1.51986665636164571966e-2,
                                   5.47593808499534494600e-4,
                                   1.05075007164441684324e-9};
constexpr Coefficients far_top{6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                               2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                               2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr Coefficients far_bottom{1.0,
                                  5.99832206555887937690e-1,
                                  1.36929880922735805310e-1,
                                  1.48753612908506148525e-2,
                                  7.86869131145613259100e-4,
                                  1.84631831751005468180e-5,
                                  1.42151175831644588870e-7,
                                  2.04426310338993978564e-15};

}  // namespace

// std::lgamma writes the sign to a global, which is a data race between chains.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

double log_choose(double n, double k) {
  require(n >= 0, "n", n, "must be at least 0");
  if (k < 0 || k > n) return -kInfinity;
  return log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1);
}

double log_sum_exp(std::span<const double> values) {
  double largest = -kInfinity;
  for (double value : values) {
    if (std::isnan(value)) return value;
    largest = std::max(largest, value);
  }
  if (std::isinf(largest)) return largest;  // the shift below would be infinity - infinity
  double sum = 0;
  for (double value : values) sum += std::exp(value - largest);
  return largest + std::log(sum);
}

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

double normal_log_pdf(double x) {
  constexpr double half_log_two_pi = 0.91893853320467274178;
  return -0.5 * x * x - half_log_two_pi;
}

double normal_log_pdf(double x, double mean, double sd) { return normal_log_pdf((x - mean) / sd) - std::log(sd); }

double normal_quantile(double p) {
  if (!(p >= 0 && p <= 1)) return std::numeric_limits<double>::quiet_NaN();
  if (p == 0) return -kInfinity;
  if (p == 1) return kInfinity;

  const double offset = p - 0.5;
  if (std::abs(offset) <= 0.425) {
    const double x = 0.180625 - offset * offset;
    return offset * polynomial(centre_top, x) / polynomial(centre_bottom, x);
  }
  const double depth = std::sqrt(-std::log(std::min(p, 1 - p)));
  const double distance = depth <= 5 ? polynomial(near_top, depth - 1.6) / polynomial(near_bottom, depth - 1.6)
                                     : polynomial(far_top, depth - 5) / polynomial(far_bottom, depth - 5);
  return std::copysign(distance, offset);
}

namespace {

constexpr double kFirst = 0.63576, kSecond = 1.87320, kThird = 1.48695;  // Molchanov et al. (2017), below eq. 14

double sigmoid(double x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

}  // namespace

double negative_jeffreys_kl(double log_alpha) {
  return kFirst * sigmoid(kSecond + kThird * log_alpha) - 0.5 * softplus(-log_alpha) - kFirst;
}

double negative_jeffreys_kl_slope(double log_alpha) {
  const double s = sigmoid(kSecond + kThird * log_alpha);
  return kFirst * kThird * s * (1 - s) + 0.5 * sigmoid(-log_alpha);
}

}  // namespace mbnn
