#include "mbnn/tables/refit.h"

#include <cmath>

#include "mbnn/core/cholesky.h"
#include "mbnn/core/special.h"

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

std::vector<float> draw_incoming(const RefitDensity& density, std::size_t layer, Rng& rng) {
  std::vector<float> incoming(density.width_below(layer) + 1);
  for (float& w : incoming)
    w = static_cast<float>(density.model().weight_prior.draw(density.state().weight_scale, rng));
  return incoming;
}

// log P(j) of each candidate.
std::vector<double> log_chances(std::vector<double> promises) {
  const double total = log_sum_exp(promises);
  for (double& promise : promises) promise -= total;
  return promises;
}

Outcome birth(RefitDensity& density, std::size_t layer, std::size_t candidates, Rng& rng) {
  if (density.active(layer) == density.cap(layer)) return Outcome::impossible;
  std::vector<float> incoming = draw_incoming(density, layer, rng);
  double log_chance = 0;  // log K P(j)
  if (candidates > 1) {
    std::vector<std::vector<float>> pool{std::move(incoming)};
    while (pool.size() < candidates) pool.push_back(draw_incoming(density, layer, rng));
    const std::vector<double> promises = density.promise(layer, pool);
    if (promises.empty()) return Outcome::rejected;
    const std::vector<double> chances = log_chances(promises);
    std::size_t chosen = 0;
    for (double left = rng.uniform() - std::exp(chances[0]); left > 0 && chosen + 1 < candidates;)
      left -= std::exp(chances[++chosen]);
    log_chance = std::log(static_cast<double>(candidates)) + chances[chosen];
    incoming = std::move(pool[chosen]);
  }
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
                           log_choice(density, layer, density.active(layer) + 1) - log_chance;
  if (!(log_ratio > log_uniform)) return Outcome::rejected;
  density.accept(rng);
  return Outcome::accepted;
}

Outcome death(RefitDensity& density, Node position, std::size_t candidates, Rng& rng) {
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
  double log_ratio = density.log_ratio() - log_prior(v, precisions) - log_choice(density, layer, density.active(layer));
  // The proposal's density is largest at its mean, and a determinant is at most the product of the diagonal. Most
  // deaths are rejected by that bound, without the matrix and the other candidates.
  const auto diagonal = density.precision_diagonal(*node, At::proposed);
  double bound = std::log(static_cast<double>(candidates));
  for (std::size_t k = 0; k < v.size(); ++k) bound += 0.5 * std::log(diagonal[k] + precisions[k]);
  if (!(log_ratio + bound + 0.01 > log_uniform)) return Outcome::rejected;  // 0.01: the sums are in float
  const EdgeLaw law(density.expand(*node, At::proposed), precisions);
  if (candidates > 1) {
    std::vector<std::vector<float>> pool{node->incoming};
    while (pool.size() < candidates) pool.push_back(draw_incoming(density, layer, rng));
    const std::vector<double> promises = density.promise(layer, pool, position);
    if (promises.empty()) return Outcome::rejected;
    log_ratio += std::log(static_cast<double>(candidates)) + log_chances(promises)[0];
  }
  if (!law.ok() || !(log_ratio + law.log_density(v) > log_uniform)) return Outcome::rejected;
  density.accept(rng);
  return Outcome::accepted;
}

}  // namespace

MoveInfo refit_step(RefitDensity& density, std::size_t candidates, Rng& rng) {
  const Direction direction = rng.coin() ? Direction::birth : Direction::death;
  const std::size_t layer = 1 + rng.below(density.layers());
  const Outcome outcome = direction == Direction::birth
                              ? birth(density, layer, candidates, rng)
                              : death(density, {layer, rng.below(density.active(layer))}, candidates, rng);
  return {direction, 1, outcome};
}

}  // namespace mbnn
