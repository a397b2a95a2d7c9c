#include "mbnn/tables/baselines/logistic.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mbnn/core/error.h"

namespace mbnn {

namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

double largest(const Vector& a) {
  double top = 0;
  for (double v : a) top = std::abs(v) <= top ? top : std::abs(v);  // NaN wins
  return top;
}

// The log posterior of all rows over the number of rows, its gradient, and products with its curvature.
class Posterior {
 public:
  Posterior(const Dataset& data, std::size_t outputs, double prior_sd)
      : data_(data),
        outputs_(outputs),
        rows_(static_cast<double>(data.rows)),
        precision_(1 / (prior_sd * prior_sd)),
        probabilities_(data.rows * outputs),
        logits_(outputs) {}

  std::size_t size() const { return (data_.inputs + 1) * outputs_; }

  // Keeps the class probabilities for gradient() and curvature().
  double value(const Vector& w) {
    double sum = 0;
    for (std::size_t r = 0; r < data_.rows; ++r) {
      apply(w, r);
      double* p = probabilities_.data() + r * outputs_;
      if (outputs_ == 1) {
        const double f = logits_[0], e = std::exp(-std::abs(f));
        p[0] = (f >= 0 ? 1.0 : e) / (1 + e);
        sum += std::min(data_.labels[r] == 1 ? f : -f, 0.0) - std::log1p(e);
        continue;
      }
      const double top = *std::max_element(logits_.begin(), logits_.end());
      double total = 0;
      for (std::size_t k = 0; k < outputs_; ++k) total += p[k] = std::exp(logits_[k] - top);
      for (std::size_t k = 0; k < outputs_; ++k) p[k] /= total;
      sum += logits_[static_cast<std::size_t>(data_.labels[r])] - top - std::log(total);
    }
    const auto intercepts = w.end() - static_cast<std::ptrdiff_t>(outputs_);
    return (sum - 0.5 * precision_ * std::inner_product(w.begin(), intercepts, w.begin(), 0.0)) / rows_;
  }

  Vector gradient(const Vector& w) {
    Vector g(size(), 0.0);
    for (std::size_t r = 0; r < data_.rows; ++r) {
      for (std::size_t k = 0; k < outputs_; ++k) logits_[k] = label(r, k) - probabilities_[r * outputs_ + k];
      spread(r, g);
    }
    return finish(w, g, -1);
  }

  // Minus the matrix of second derivatives, times v.
  Vector curvature(const Vector& v) {
    Vector result(size(), 0.0);
    for (std::size_t r = 0; r < data_.rows; ++r) {
      const double* p = probabilities_.data() + r * outputs_;
      apply(v, r);
      if (outputs_ == 1) {
        logits_[0] *= p[0] * (1 - p[0]);
      } else {
        const double mean = std::inner_product(p, p + outputs_, logits_.begin(), 0.0);
        for (std::size_t k = 0; k < outputs_; ++k) logits_[k] = p[k] * (logits_[k] - mean);
      }
      spread(r, result);
    }
    return finish(v, result, 1);
  }

 private:
  double label(std::size_t r, std::size_t k) const {
    return static_cast<std::size_t>(data_.labels[r]) == (outputs_ == 1 ? 1 : k) ? 1 : 0;
  }
  // logits_ = w' (x_r, 1)
  void apply(const Vector& w, std::size_t r) {
    std::copy(w.end() - static_cast<std::ptrdiff_t>(outputs_), w.end(), logits_.begin());
    const float* x = data_.x.data() + r * data_.inputs;
    for (std::size_t i = 0; i < data_.inputs; ++i)
      for (std::size_t k = 0; k < outputs_; ++k) logits_[k] += x[i] * w[i * outputs_ + k];
  }
  // sum += (x_r, 1) logits_'
  void spread(std::size_t r, Vector& sum) const {
    const float* x = data_.x.data() + r * data_.inputs;
    for (std::size_t i = 0; i <= data_.inputs; ++i)
      for (std::size_t k = 0; k < outputs_; ++k) sum[i * outputs_ + k] += (i < data_.inputs ? x[i] : 1.0) * logits_[k];
  }
  Vector finish(const Vector& w, Vector& sum, double sign) const {
    for (std::size_t i = 0; i < data_.inputs * outputs_; ++i) sum[i] += sign * precision_ * w[i];
    for (double& value : sum) value /= rows_;
    return std::move(sum);
  }

  const Dataset& data_;
  std::size_t outputs_;
  double rows_, precision_;
  Vector probabilities_, logits_;
};

// Newton's direction. The softmax does not see a shift of all intercepts: the curvature is singular there, but gradient
// and direction never leave its complement.
Vector newton_direction(Posterior& posterior, const Vector& gradient) {
  Vector direction(gradient.size(), 0.0), residual = gradient, conjugate = gradient;
  double square = dot(residual, residual);
  const double enough = std::min(0.25, std::sqrt(std::sqrt(square))) * std::sqrt(square);
  for (std::size_t i = 0; i < 2 * gradient.size() + 20 && std::sqrt(square) > enough; ++i) {
    const Vector product = posterior.curvature(conjugate);
    const double along = dot(conjugate, product);
    if (!(along > 0)) break;
    const double step = square / along;
    for (std::size_t k = 0; k < direction.size(); ++k) {
      direction[k] += step * conjugate[k];
      residual[k] -= step * product[k];
    }
    const double before = square;
    square = dot(residual, residual);
    for (std::size_t k = 0; k < direction.size(); ++k) conjugate[k] = residual[k] + square / before * conjugate[k];
  }
  return direction;
}

}  // namespace

LogisticFit fit_logistic(const Dataset& data, std::size_t outputs, const LogisticOptions& options,
                         const std::function<bool(const LogisticFit&)>& report) {
  require(options.prior_sd > 0 && std::isfinite(options.prior_sd), "prior_sd", options.prior_sd,
          "must be positive and finite");
  require(data.rows > 0 && data.labels.size() == data.rows, "labels", data.labels.size(), "every row needs a label");
  Posterior posterior(data, outputs, options.prior_sd);
  const double rows = static_cast<double>(data.rows);
  LogisticFit fit;
  fit.weights.assign(posterior.size(), 0.0);
  double value = posterior.value(fit.weights);
  for (;;) {
    const Vector gradient = posterior.gradient(fit.weights);
    fit.log_posterior = value * rows;
    fit.gradient_norm = largest(gradient);
    fit.converged = fit.gradient_norm <= options.tolerance;
    if (report && !report(fit)) return fit;
    if (fit.converged || fit.iterations >= options.most_iterations) return fit;
    const Vector direction = newton_direction(posterior, gradient);
    const double slope = dot(gradient, direction);
    // The log posterior is concave: a step that rises enough exists unless rounding hides it.
    double step = 1;
    Vector next(fit.weights.size());
    for (int halvings = 0;; ++halvings, step *= 0.5) {
      for (std::size_t i = 0; i < next.size(); ++i) next[i] = fit.weights[i] + step * direction[i];
      const double there = posterior.value(next);
      if (there >= value + 1e-4 * step * slope - 1e-14 * std::abs(value)) {
        value = there;
        break;
      }
      if (halvings == 60) {
        posterior.value(fit.weights);
        return fit;
      }
    }
    fit.weights = std::move(next);
    ++fit.iterations;
  }
}

}  // namespace mbnn
