// Birth and death of hidden nodes by Metropolis-Hastings with informed proposals: Algorithm 1 of the paper, collapsed.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "mbnn/net/gates.h"
#include "mbnn/sample/selection.h"

namespace mbnn {

struct MoveInfo {
  Direction direction = Direction::birth;
  std::size_t flips = 0;
  enum class Outcome { accepted, rejected, impossible } outcome = Outcome::rejected;
};

// What birth-death needs of a density: gates with caps, the likelihood of a flip, derivatives by gates.
template <class D>
concept GateDensity = requires(D density, Rng& rng, std::span<const std::size_t> counts, std::vector<Node> nodes,
                               std::vector<typename D::Candidate> candidates) {
  { density.layers() } -> std::convertible_to<std::size_t>;
  { density.active(std::size_t{}, D::At::proposed) } -> std::convertible_to<std::size_t>;
  { density.cap(std::size_t{}) } -> std::convertible_to<std::size_t>;
  { density.log_likelihood(D::At::proposed) } -> std::convertible_to<double>;
  { density.log_mask_prior(D::At::proposed) } -> std::convertible_to<double>;
  { density.draw_candidates(D::At::current, counts, rng) } -> std::same_as<std::vector<typename D::Candidate>>;
  { density.leaving_candidates() } -> std::same_as<std::vector<typename D::Candidate>>;
  { density.gate_derivatives(D::At::current, candidates) } -> std::same_as<std::vector<double>>;
  density.propose_birth(candidates, rng);
  density.propose_death(nodes);
  density.accept(rng);
};
// What the test by MHBT needs beside that: differences row by row, and the part of the mask prior that is tempered.
template <class D>
concept RowDensity = GateDensity<D> && requires(D density) {
  { density.row_differences() } -> std::same_as<std::vector<double>>;
  { density.log_width_prior(D::At::proposed) } -> std::convertible_to<double>;
};
// What the sequential test needs: the differences of the rows of the first so many batches. Those that were compared
// before cost nothing.
template <class D>
concept PooledDensity = GateDensity<D> && requires(D density, std::size_t batches) {
  { density.batches() } -> std::convertible_to<std::size_t>;
  { density.rows_of_batches() } -> std::convertible_to<std::size_t>;
  { density.batches_compared() } -> std::convertible_to<std::size_t>;
  { density.differences(batches) } -> std::convertible_to<std::span<const double>>;
};

// How a move is judged (batch_acceptance.h): by the density's log-likelihood as it is,
struct PlainTest {};
// by MHBT (the density is bound to a batch of distinct rows, a new one for each move; the likelihood and the prior of
// the widths count to the power 1 / temperature),
struct Tempering {
  std::size_t rows = 0;  // of all data
  double temperature = 1;
};
// or by as many batches as it takes.
struct SequentialTest {
  std::size_t rows = 0;
  double deviations = 3;
};
using BatchTest = std::variant<PlainTest, Tempering, SequentialTest>;

// Whether the change of likelihood and mask prior, with `log_rest` for all else, is above `log_uniform`.
template <GateDensity D>
bool accepts(D& density, const BatchTest& test, double log_rest, double log_uniform);

// A move of a chain whose density is bound to its state. Between bind() and the last step() only this object may
// change the state.
class BirthDeath {
 public:
  explicit BirthDeath(BirthDeathOptions options);

  void judge_by(const BatchTest& test) { test_ = test; }
  const BatchTest& test() const { return test_; }

  // To be called whenever the density was bound anew.
  void forget() { derivatives_.reset(); }
  template <GateDensity D>
  MoveInfo step(D& density, Rng& rng);

 private:
  template <GateDensity D>
  MoveInfo birth(D& density, std::size_t flips, Rng& rng);
  template <GateDensity D>
  MoveInfo death(D& density, std::size_t flips, Rng& rng);
  template <GateDensity D>
  const std::vector<double>& active_derivatives(D& density);
  std::size_t pool_size(std::size_t inactive, std::size_t flips) const;

  BirthDeathOptions options_;
  BatchTest test_;
  std::optional<std::vector<double>> derivatives_;  // of the active nodes at the current state
};

namespace detail {

// `count` nodes, uniformly and without replacement, from layers that hold the given numbers: how many fall in each.
std::vector<std::size_t> spread_over_layers(std::vector<std::size_t> available, std::size_t count, Rng& rng);
double log_choose(std::size_t n, std::size_t k);

}  // namespace detail
}  // namespace mbnn
