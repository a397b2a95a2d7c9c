#include "mbnn/tables/refit.h"

#include <cmath>

#include "mbnn/core/cholesky.h"

namespace mbnn {

namespace {

using At = RefitDensity::At;
using Outcome = MoveInfo::Outcome;

// log density without the constant that prior and proposal share.
double log_prior(const std::vector<double>& v, const std::vector<double>& precisions) {
  double sum = 0;
  for (std::size_t k = 0; k < v.size(); ++k) sum += 0.5 * std::log(precisions[k]) - 0.5 * precisions[k] * v[k] * v[k];
  return sum;
}

// The normal law that v is proposed from.
class EdgeLaw {
 public:
  EdgeLaw(RefitDensity::Expansion expansion, const std::vector<double>& precisions)
      : factor_(add(std::move(expansion.precision), precisions), precisions.size()) {
    if (factor_.ok()) mean_ = factor_.solve(expansion.linear);
  }

  bool ok() const { return factor_.ok(); }
  std::vector<double> draw(Rng& rng) const {
    std::vector<double> normal(mean_.size());
    for (double& x : normal) x = rng.normal();
    auto v = factor_.solve_upper(normal);
    // What the network will hold is what is scored.
    for (std::size_t k = 0; k < v.size(); ++k) v[k] = static_cast<float>(v[k] + mean_[k]);
    return v;
  }
  double log_density(const std::vector<double>& v) const {
    std::vector<double> off(v.size());
    for (std::size_t k = 0; k < v.size(); ++k) off[k] = v[k] - mean_[k];
    return 0.5 * factor_.log_determinant() - 0.5 * factor_.squared_norm(off);
  }

 private:
  static std::vector<double> add(std::vector<double> matrix, const std::vector<double>& diagonal) {
    for (std::size_t k = 0; k < diagonal.size(); ++k) matrix[k * diagonal.size() + k] += diagonal[k];
    return matrix;
  }

  Cholesky factor_;
  std::vector<double> mean_;
};

// log of P(a death chooses one of `larger` nodes) / P(a birth chooses one of the inactive nodes).
double log_choice(const RefitDensity& density, std::size_t layer, std::size_t larger) {
  return std::log(static_cast<double>(density.cap(layer) - larger + 1)) - std::log(static_cast<double>(larger));
}

Outcome birth(RefitDensity& density, std::size_t layer, Rng& rng) {
  if (density.active(layer) == density.cap(layer)) return Outcome::impossible;
  std::vector<float> incoming(density.width_below(layer) + 1);
  for (float& w : incoming)
    w = static_cast<float>(density.model().weight_prior.draw(density.state().weight_scale, rng));
  std::vector<double> precisions(density.width_above(layer));
  for (double& p : precisions) p = density.model().weight_prior.draw_precision(density.state().weight_scale, rng);
  const double log_uniform = std::log(rng.uniform());

  const auto node = density.outside(layer, std::move(incoming));
  if (!node) return Outcome::rejected;
  const EdgeLaw law(density.expand(*node, At::current), precisions);
  if (!law.ok()) return Outcome::rejected;
  const auto v = law.draw(rng);
  density.propose_birth(*node, v);
  const double log_ratio = density.log_ratio() + log_prior(v, precisions) - law.log_density(v) +
                           log_choice(density, layer, density.active(layer) + 1);
  if (!(log_ratio > log_uniform)) return Outcome::rejected;
  density.accept(rng);
  return Outcome::accepted;
}

Outcome death(RefitDensity& density, Node position, Rng& rng) {
  const std::size_t layer = position.layer;
  if (density.active(layer) == 1) return Outcome::impossible;
  const auto v = density.outgoing(position);
  std::vector<double> precisions;
  for (double w : v)
    precisions.push_back(density.model().weight_prior.draw_precision_of(w, density.state().weight_scale, rng));
  const double log_uniform = std::log(rng.uniform());

  const auto node = density.inside(position);
  if (!node) return Outcome::rejected;
  density.propose_death(position, *node);
  const double log_ratio =
      density.log_ratio() - log_prior(v, precisions) - log_choice(density, layer, density.active(layer));
  // The proposal's density is largest at its mean, and a determinant is at most the product of the diagonal. Most
  // deaths are rejected by that bound, without the matrix.
  const auto diagonal = density.precision_diagonal(*node, At::proposed);
  double bound = 0;
  for (std::size_t k = 0; k < v.size(); ++k) bound += 0.5 * std::log(diagonal[k] + precisions[k]);
  if (!(log_ratio + bound + 0.01 > log_uniform)) return Outcome::rejected;  // 0.01: the sums are in float
  const EdgeLaw law(density.expand(*node, At::proposed), precisions);
  if (!law.ok() || !(log_ratio + law.log_density(v) > log_uniform)) return Outcome::rejected;
  density.accept(rng);
  return Outcome::accepted;
}

}  // namespace

MoveInfo refit_step(RefitDensity& density, Rng& rng) {
  const Direction direction = rng.coin() ? Direction::birth : Direction::death;
  const std::size_t layer = 1 + rng.below(density.layers());
  const Outcome outcome = direction == Direction::birth
                              ? birth(density, layer, rng)
                              : death(density, {layer, rng.below(density.active(layer))}, rng);
  return {direction, 1, outcome};
}

}  // namespace mbnn
