// Parallel tempering: chains of one posterior at rising temperatures, the rungs, that exchange their states.
//
// Rung k samples L^b p(masks)^b p(weights) p(noise), with a power b that falls from 1 at rung 0, which is the chain
// whose draws are kept. Neighbours exchange states by the law in which the noise is integrated out, and then draw it
// afresh. What hot rungs can do and the cold one cannot, such as giving up a node that is in use, arrives there by
// exchange. docs/sampling.md has the mathematics.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "mbnn/tables/chain.h"

namespace mbnn {

// log density of a state's masks, weights and statistic on a rung, up to what is the same on all rungs.
double log_rung_density(const Model& rung, const State& state, double statistic, std::size_t rows);

class Ladder {
 public:
  // Everything that is given must outlive it. `cold` is rung 0.
  Ladder(Chain& cold, const TrainingData& data, const ChainOptions& options, std::uint64_t seed, std::uint64_t index,
         std::size_t threads);

  void start();
  // A state for each rung instead, such as a draw from the prior.
  void start_from(const std::function<State()>& draw);
  // An iteration of each rung, then exchanges between every second pair of neighbours.
  void iterate();

  std::size_t rungs() const { return 1 + hot_.size(); }
  const Chain& rung(std::size_t k) const { return k == 0 ? *cold_ : *hot_[k - 1]; }
  // For ladders that are not to adapt. One for each hot rung, falling.
  void set_powers(const std::vector<double>& powers);

  // Exchanges of rungs k and k + 1 since the warm-up (before it has ended: so far): their mean probability.
  double swap_rate(std::size_t k) const;
  double least_swap_rate() const;
  // States that came to rung 0 from the hottest one, since the warm-up.
  std::int64_t trips() const { return trips_; }
  // Active nodes of rung k, on average over the same time.
  double mean_nodes(std::size_t k) const;
  nlohmann::json statistics() const;

  void save(ByteWriter& out) const;
  void restore(ByteReader& in);

 private:
  struct Swaps {
    double probability = 0;  // sum over tries
    std::int64_t tried = 0, since_start = 0;
  };

  Chain& at(std::size_t k) { return k == 0 ? *cold_ : *hot_[k - 1]; }
  void exchange(std::size_t k);
  void place();  // powers from gaps

  Chain* cold_;
  const TrainingData* data_;
  const ChainOptions* options_;
  std::size_t threads_;
  Rng rng_;
  std::vector<std::unique_ptr<Chain>> hot_;
  std::vector<double> gaps_;  // log of the ratio of neighbours' powers
  std::vector<Swaps> swaps_;
  std::vector<char>
      from_hottest_;  // by rung: whether its state was at the hottest rung after it was last at the coldest
  std::int64_t trips_ = 0, counted_ = 0;
  std::vector<double> nodes_;  // sums over the iterations counted, by rung
};

}  // namespace mbnn
