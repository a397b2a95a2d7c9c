#include "mbnn/images/baselines/ensembles.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mbnn/core/finite.h"
#include "mbnn/images/baselines/ranking.h"
#include "mbnn/images/checkpoint_bytes.h"

namespace mbnn {

bool DenseEnsemble::advance(const ImageRows& rows) {
  const std::int64_t length = training(), t = done() % length;
  if (t == 0) start_anew();
  train(rows, cosine_rate(learning_rate(), static_cast<double>(t) / static_cast<double>(length)));
  return t + 1 == length;
}

bool PrunedEnsemble::advance(const ImageRows& rows) {
  const std::int64_t t = done() % of_network(), pruned = before_pruning() + searching();
  const auto anneal = [&](std::int64_t since, std::int64_t length) {
    train(rows, cosine_rate(learning_rate(), static_cast<double>(since) / static_cast<double>(length)));
  };
  if (t == 0) {
    start_anew();
    population_.clear();
  }
  if (t < before_pruning()) {
    anneal(t, before_pruning());
    return false;
  }
  if (t < pruned) {
    if (t == before_pruning()) dense_ = state_;
    search(rows, t - before_pruning());
    return false;
  }
  if (t == pruned) prune(best_);
  anneal(t - pruned, after_pruning());
  return t + 1 == of_network();
}

// A candidate is pruned from the dense network, tuned a little, which also settles its norms, and judged.
void PrunedEnsemble::search(const ImageRows& rows, std::int64_t batch) {
  const auto candidate = static_cast<std::size_t>(batch / options().tuning_batches);
  const std::int64_t k = batch % options().tuning_batches;
  if (k == 0) {
    current_ = next_ranking(candidate);
    prune(current_);
  }
  train(rows, 0.1 * learning_rate());
  if (k + 1 == options().tuning_batches) enter(candidate);
}

// Regularised evolution with the constants of the authors' code: factors are log-normal with a spread of 1 that shrinks
// to a fifth, summands have the spread of the gate's squared norms, and a child changes a tenth of its parent's gates.
PrunedEnsemble::Ranking PrunedEnsemble::next_ranking(std::size_t candidate) {
  const std::size_t gates = architecture().gates();
  Ranking ranking{std::vector<double>(gates, 1.0), std::vector<double>(gates, 0.0), 0};
  const bool first_ones = candidate < options().population;
  if (first_ones && candidate + 1 == options().population) return ranking;  // plain norms are always tried
  if (!first_ones) {
    const Ranking* winner = nullptr;
    for (std::size_t i = 0; i < options().tournament; ++i) {
      const Ranking& drawn = population_[rng_.below(population_.size())];
      if (!winner || drawn.fitness > winner->fitness) winner = &drawn;
    }
    ranking = *winner;
  }
  const ChannelValues squares = filter_squares(architecture(), dense_.gates, dense_.weights);
  const double progress = static_cast<double>(candidate) / static_cast<double>(options().candidates);
  const double spread = first_ones ? 1 : 1 - 0.8 * progress;
  const auto change = [&](std::size_t gate) {
    const auto& own = squares[gate];
    const double n = static_cast<double>(own.size());
    double mean = 0, variance = 0;
    for (double s : own) mean += s / n;
    for (double s : own) variance += (s - mean) * (s - mean) / n;
    ranking.factor[gate] *= std::exp(spread * rng_.normal());
    ranking.summand[gate] += std::sqrt(variance) * rng_.normal();
  };
  if (first_ones)
    for (std::size_t gate = 0; gate < gates; ++gate) change(gate);
  else
    for (std::size_t i = 0; i < std::max<std::size_t>(1, gates / 10); ++i) change(rng_.below(gates));
  return ranking;
}

void PrunedEnsemble::enter(std::size_t candidate) {
  current_.fitness = fitness();
  if (!std::isfinite(current_.fitness)) current_.fitness = std::numeric_limits<double>::lowest();
  if (candidate == 0 || current_.fitness > best_.fitness) best_ = current_;
  if (candidate < options().population)
    population_.push_back(current_);
  else
    population_[candidate % options().population] = current_;
}

void PrunedEnsemble::prune(const Ranking& ranking) {
  ChannelValues scores = filter_squares(architecture(), dense_.gates, dense_.weights);
  for (std::size_t gate = 0; gate < scores.size(); ++gate)
    for (double& score : scores[gate]) score = ranking.factor[gate] * score + ranking.summand[gate];
  state_ =
      without_others(architecture(), dense_, pruned_by_rank(architecture(), dense_.gates, scores, options().flops));
  memory_ = {};
}

double PrunedEnsemble::fitness() {
  constexpr std::size_t at_a_time = 100;
  double sum = 0;
  for (std::size_t first = 0; first < held_back_->count; first += at_a_time) {
    const std::size_t count = std::min(at_a_time, held_back_->count - first);
    gather_images(*held_back_, *scaling_, first, count, judged_);
    sum += static_cast<double>(count) * mean_log_likelihood({judged_.pixels, judged_.labels});
  }
  return sum / static_cast<double>(held_back_->count);
}

void PrunedEnsemble::write_more(ByteWriter& out) const {
  const auto write = [&](const Ranking& ranking) {
    out.put_all(ranking.factor);
    out.put_all(ranking.summand);
    out.put(ranking.fitness);
  };
  write_image_state(dense_, out);
  write(current_);
  write(best_);
  out.put(static_cast<std::uint64_t>(population_.size()));
  for (const Ranking& ranking : population_) write(ranking);
}

void PrunedEnsemble::read_more(ByteReader& in) {
  const auto read = [&] {
    Ranking ranking;
    ranking.factor = in.get_all<double>();
    ranking.summand = in.get_all<double>();
    ranking.fitness = in.get<double>();
    return ranking;
  };
  dense_ = read_image_state(in, architecture());
  current_ = read();
  best_ = read();
  const auto size = in.get<std::uint64_t>();
  require_content(size <= options().population, "a checkpoint has more rankings than live at a time");
  population_.clear();
  for (std::uint64_t i = 0; i < size; ++i) population_.push_back(read());
  // What the search at hand goes on from; before and after it, nothing of this is looked at again.
  const std::int64_t searched = done() % of_network() - before_pruning();
  if (searched <= 0 || searched > searching()) return;
  const auto whole = [&](const Ranking& ranking) {
    return ranking.factor.size() == architecture().gates() && ranking.summand.size() == architecture().gates() &&
           all_finite(ranking.factor) && all_finite(ranking.summand) && std::isfinite(ranking.fitness);
  };
  const auto tried = static_cast<std::size_t>(searched / options().tuning_batches);
  require_content(!dense_.weights.empty() && whole(current_) && (tried == 0 || whole(best_)) &&
                      population_.size() == std::min(tried, options().population) &&
                      std::ranges::all_of(population_, whole),
                  "the search of a checkpoint does not fit its network");
}

}  // namespace mbnn
