#include "mbnn/images/channel_refit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mbnn/sample/birth_death_moves.h"

namespace mbnn {

namespace {

using At = ImageFlips::At;
using Outcome = MoveInfo::Outcome;

// Logs of the probabilities with which each channel of the layer is chosen to die.
std::vector<double> log_choices(std::vector<double> losses) {
  const double mean = std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
  double total = 0;
  for (double& loss : losses) {
    loss = std::pow(mean / (loss + 1e-6 * mean + 1e-30), 2);
    total += loss;
  }
  for (double& weight : losses) weight = std::log(weight / total);
  return losses;
}

Outcome birth(ImageFlips& density, std::size_t layer, const BatchTest& test, Rng& rng) {
  const std::size_t inactive = density.cap(layer) - density.active(layer);
  if (inactive == 0) return Outcome::impossible;
  std::vector<std::size_t> counts(density.layers(), 0);
  counts[layer - 1] = 1;
  const auto joining = density.draw_candidates(At::current, counts, rng);
  const double log_uniform = std::log(rng.uniform());
  double log_rest = density.propose_refitted_birth(joining.front(), rng) + std::log(static_cast<double>(inactive));
  if (!accepts(density, test, log_rest, log_uniform)) return Outcome::rejected;
  log_rest += log_choices(density.losses(At::proposed, layer, density.substitutes(At::proposed, layer))).back();
  if (!accepts(density, test, log_rest, log_uniform)) return Outcome::rejected;
  density.accept(rng);
  return Outcome::accepted;
}

Outcome death(ImageFlips& density, std::size_t layer, const BatchTest& test, Rng& rng) {
  if (density.active(layer) == 1) return Outcome::impossible;
  const auto& substitutes = density.substitutes(At::current, layer);
  const auto log_choice = log_choices(density.losses(At::current, layer, substitutes));
  const double place = rng.uniform(), log_uniform = std::log(rng.uniform());
  std::size_t position = 0;
  for (double sum = std::exp(log_choice[0]); sum < place && position + 1 < log_choice.size();)
    sum += std::exp(log_choice[++position]);
  const double inactive = static_cast<double>(density.cap(layer) - density.active(layer) + 1);
  const double log_rest =
      density.propose_refitted_death({layer, position}, substitutes) - std::log(inactive) - log_choice[position];
  if (!accepts(density, test, log_rest, log_uniform)) return Outcome::rejected;
  density.accept(rng);
  return Outcome::accepted;
}

}  // namespace

MoveInfo refit_step(ImageFlips& density, std::size_t layer, const BatchTest& test, Rng& rng) {
  const Direction direction = rng.coin() ? Direction::birth : Direction::death;
  return {direction, 1,
          direction == Direction::birth ? birth(density, layer, test, rng) : death(density, layer, test, rng)};
}

}  // namespace mbnn
