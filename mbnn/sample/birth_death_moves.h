// The two moves of birth_death.h, for those that make them.
//
// A state has I inactive nodes. A birth of N nodes draws a pool of m inactive nodes uniformly, gives them weights from
// the prior, scores them, and chooses N of them. The death that undoes it chooses the N nodes among the active ones and
// draws the other m - N members of the pool anew, uniformly from the nodes that are inactive before it. Both moves use
// the same variables, the densities of prior draws cancel, and what remains is
//
//   log P(choose the set from the pool) - log C(I, m)              for birth,
//   log P(choose the set to die)        - log C(I - N, m - N)      for death from the state with I - N inactive nodes.
//
// A uniform birth needs no scores, so its pool is the set itself (m = N); with m = I the pool is every inactive node
// and the move is the paper's.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mbnn/sample/batch_acceptance.h"
#include "mbnn/sample/birth_death.h"

namespace mbnn {

template <GateDensity D>
const std::vector<double>& BirthDeath::active_derivatives(D& density) {
  if (!derivatives_) {
    if (options_.death == Rule::uniform) {
      std::size_t active = 0;
      for (std::size_t l = 1; l <= density.layers(); ++l) active += density.active(l);
      derivatives_.emplace(active, 0.0);
    } else {
      derivatives_ = density.gate_derivatives(D::At::current, std::vector<typename D::Candidate>{});
    }
  }
  return *derivatives_;
}

namespace detail {

// Of the likelihood and the mask prior, proposed minus current.
template <GateDensity D>
double log_target_change(D& density, const BatchTest& test) {
  using At = typename D::At;
  const double masks = density.log_mask_prior(At::proposed) - density.log_mask_prior(At::current);
  if constexpr (RowDensity<D>)
    if (const auto* tempering = std::get_if<Tempering>(&test)) {
      const double widths = density.log_width_prior(At::proposed) - density.log_width_prior(At::current);
      return mhbt_change(density.row_differences(), tempering->rows, tempering->temperature) + masks - widths +
             widths / tempering->temperature;
    }
  return density.log_likelihood(At::proposed) - density.log_likelihood(At::current) + masks;
}

}  // namespace detail

template <GateDensity D>
bool accepts(D& density, const BatchTest& test, double log_rest, double log_uniform) {
  using At = typename D::At;
  if constexpr (PooledDensity<D>)
    if (const auto* sequential = std::get_if<SequentialTest>(&test)) {
      const double masks = density.log_mask_prior(At::proposed) - density.log_mask_prior(At::current);
      // All batches stand for all rows: the question is what they would say together.
      const std::size_t rows = density.rows_of_batches();
      const double threshold =
          (log_uniform - log_rest - masks) * static_cast<double>(rows) / static_cast<double>(sequential->rows);
      Verdict verdict = Verdict::undecided;
      const std::size_t first = std::max<std::size_t>(1, density.batches_compared());
      for (std::size_t k = first; k <= density.batches() && verdict == Verdict::undecided; ++k) {
        verdict = compare_sum(density.differences(k), rows, threshold, sequential->deviations);
        // The first batch is that which the move was fitted to: it may speak against the move, not for it alone.
        if (k == 1 && density.batches() > 1 && verdict == Verdict::above) verdict = Verdict::undecided;
      }
      return verdict == Verdict::above;
    }
  return detail::log_target_change(density, test) + log_rest > log_uniform;
}

template <GateDensity D>
MoveInfo BirthDeath::step(D& density, Rng& rng) {
  const bool birth_move = rng.coin();
  const std::size_t flips = 1 + rng.below(options_.max_flips);
  return birth_move ? birth(density, flips, rng) : death(density, flips, rng);
}

template <GateDensity D>
MoveInfo BirthDeath::birth(D& density, std::size_t flips, Rng& rng) {
  using At = typename D::At;
  MoveInfo info{Direction::birth, flips, MoveInfo::Outcome::impossible};
  std::vector<std::size_t> inactive_of_layer;
  for (std::size_t l = 1; l <= density.layers(); ++l) inactive_of_layer.push_back(density.cap(l) - density.active(l));
  const std::size_t inactive = std::accumulate(inactive_of_layer.begin(), inactive_of_layer.end(), std::size_t{0});
  if (inactive < flips) return info;
  info.outcome = MoveInfo::Outcome::rejected;

  const std::size_t m = pool_size(inactive, flips);
  auto pool = density.draw_candidates(At::current, detail::spread_over_layers(inactive_of_layer, m, rng), rng);
  double log_forward = -detail::log_choose(inactive, m);
  if (options_.birth != Rule::uniform) {
    const auto all = density.gate_derivatives(At::current, pool);
    const auto log_weights = log_selection_weights(options_.birth, Direction::birth, std::span(all).last(m));
    auto chosen = choose_without_replacement(log_weights, flips, rng);
    std::sort(chosen.begin(), chosen.end());  // candidates of a layer keep their order when they join
    log_forward += log_probability_of_set(log_weights, chosen);
    std::vector<typename D::Candidate> joining;
    for (std::size_t i : chosen) joining.push_back(std::move(pool[i]));
    pool = std::move(joining);
  }
  density.propose_birth(pool, rng);
  const double log_reverse_pool = -detail::log_choose(inactive - flips, m - flips);
  const double log_uniform = std::log(rng.uniform());
  double log_rest = log_reverse_pool - log_forward;
  // The reverse choice is a probability: if the ratio is too small without it, its cost is saved.
  if (!accepts(density, test_, log_rest, log_uniform)) return info;

  std::vector<std::size_t> newborn;  // positions among all active nodes of the proposed state
  std::size_t first = 0;
  for (std::size_t l = 1; l <= density.layers(); ++l) {
    for (std::size_t i = density.active(l); i < density.active(l, At::proposed); ++i) newborn.push_back(first + i);
    first += density.active(l, At::proposed);
  }
  std::vector<double> derivatives(first, 0.0);
  if (options_.death != Rule::uniform)
    derivatives = density.gate_derivatives(At::proposed, std::vector<typename D::Candidate>{});
  log_rest += log_probability_of_set(log_selection_weights(options_.death, Direction::death, derivatives), newborn);
  if (!accepts(density, test_, log_rest, log_uniform)) return info;
  density.accept(rng);
  derivatives_ = std::move(derivatives);
  info.outcome = MoveInfo::Outcome::accepted;
  return info;
}

template <GateDensity D>
MoveInfo BirthDeath::death(D& density, std::size_t flips, Rng& rng) {
  using At = typename D::At;
  MoveInfo info{Direction::death, flips, MoveInfo::Outcome::impossible};
  std::vector<Node> nodes;
  for (std::size_t l = 1; l <= density.layers(); ++l)
    for (std::size_t i = 0; i < density.active(l); ++i) nodes.push_back({l, i});
  if (nodes.size() < flips) return info;

  const auto log_weights = log_selection_weights(options_.death, Direction::death, active_derivatives(density));
  const auto chosen = choose_without_replacement(log_weights, flips, rng);
  std::vector<Node> leaving;
  std::vector<std::size_t> left, inactive_of_layer;
  for (std::size_t l = 1; l <= density.layers(); ++l) {
    left.push_back(density.active(l));
    inactive_of_layer.push_back(density.cap(l) - density.active(l));
  }
  for (std::size_t i : chosen) {
    leaving.push_back(nodes[i]);
    if (--left[nodes[i].layer - 1] == 0) return info;  // every layer keeps a node: the prior of width 0 is 0
  }
  info.outcome = MoveInfo::Outcome::rejected;
  const double log_forward_choice = log_probability_of_set(log_weights, chosen);
  density.propose_death(std::move(leaving));

  const std::size_t inactive = std::accumulate(inactive_of_layer.begin(), inactive_of_layer.end(), std::size_t{0});
  const std::size_t m = pool_size(inactive + flips, flips);
  const double log_uniform = std::log(rng.uniform());
  double log_rest =
      detail::log_choose(inactive, m - flips) - detail::log_choose(inactive + flips, m) - log_forward_choice;
  if (!accepts(density, test_, log_rest, log_uniform)) return info;
  if (options_.birth != Rule::uniform) {
    auto pool = density.leaving_candidates();
    auto others =
        density.draw_candidates(At::proposed, detail::spread_over_layers(inactive_of_layer, m - flips, rng), rng);
    pool.insert(pool.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
    const auto all = density.gate_derivatives(At::proposed, pool);
    const auto pool_weights = log_selection_weights(options_.birth, Direction::birth, std::span(all).last(m));
    std::vector<std::size_t> first(flips);
    std::iota(first.begin(), first.end(), std::size_t{0});
    log_rest += log_probability_of_set(pool_weights, first);
    if (!accepts(density, test_, log_rest, log_uniform)) return info;
  }
  density.accept(rng);
  derivatives_.reset();
  info.outcome = MoveInfo::Outcome::accepted;
  return info;
}

}  // namespace mbnn
