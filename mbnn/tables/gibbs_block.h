// What a larger model adds to a chain: further blocks of the Gibbs sampler, with a state of their own.
#pragma once

#include <vector>

#include "mbnn/core/bytes.h"
#include "mbnn/core/rng.h"
#include "mbnn/tables/chain_options.h"
#include "mbnn/tables/state.h"

namespace mbnn {

// The chain moves weights, noise and masks given the training targets that it was made with; the block then moves the
// rest, and may replace those targets for the next iteration.
class GibbsBlock {
 public:
  virtual ~GibbsBlock() = default;

  // In place of the chain's own warm start.
  virtual State start(std::size_t width, const WarmStartOptions& options, Rng& rng) = 0;
  // False: weights and noise are the block's to move, too.
  virtual bool leaves_weights() const = 0;

  // Of the state after the move. The log-likelihood may have the block's own unknowns integrated out.
  struct Fit {
    double log_likelihood, log_prior, training_error;
  };
  virtual Fit move(State& state, Rng& rng) = 0;

  // What is stored with a draw beside the state, in the order of the names that the configuration holds.
  virtual std::vector<double> traces() const = 0;
  // All that the next iteration starts from.
  virtual void save(ByteWriter& out) const = 0;
  virtual void restore(ByteReader& in) = 0;
};

}  // namespace mbnn
