#include "mbnn/tables/ladder.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mbnn/core/parallel.h"

namespace mbnn {

namespace {

constexpr double kFirstGap = 0.05;    // of neighbours' log powers, before the warm-up has found better ones
constexpr double kWidestGap = 1;      // where every exchange is accepted, no gap would be wide enough
constexpr double kHottest = 0.02;     // the least power: below it a rung has nothing to teach
constexpr std::uint64_t kStream = 3;  // of random numbers for exchanges, behind those of the rungs

}  // namespace

double log_rung_density(const Model& model, const State& state, double statistic, std::size_t rows) {
  const double power = model.likelihood.power;
  const NoisePrior& noise = model.noise_prior;
  double sum = model.masks ? log_mask_prior(model, state.shape(model), state.lambda) : 0;
  if (model.masks && model.width_prior.learn_lambda)
    for (std::size_t cap : model.architecture.caps) sum -= model.width_prior.log_normaliser(cap, state.lambda);
  if (!model.likelihood.has_noise() || noise.fixed > 0)
    return sum + model.likelihood.log_likelihood(statistic, rows, noise.fixed);
  const double shape = noise.shape + 0.5 * power * static_cast<double>(rows);
  return sum - shape * std::log(noise.rate + 0.5 * power * statistic);
}

Ladder::Ladder(Chain& cold, const TrainingData& data, const ChainOptions& options, std::uint64_t seed,
               std::uint64_t index, std::size_t threads)
    : cold_(&cold),
      data_(&data),
      options_(&options),
      threads_(threads),
      rng_(seed ^ (kStream << 60), index),
      gaps_(options.rungs - 1, kFirstGap),
      swaps_(options.rungs - 1),
      from_hottest_(options.rungs, 0),
      nodes_(options.rungs, 0.0) {
  for (std::size_t k = 1; k < options.rungs; ++k)
    hot_.push_back(std::make_unique<Chain>(cold.model(), data, options, seed, index, k));
  place();
}

void Ladder::place() {
  double log_power = 0;
  for (std::size_t k = 0; k < hot_.size(); ++k) {
    log_power -= gaps_[k];
    hot_[k]->set_power(std::max(kHottest, std::exp(log_power)));
  }
}

void Ladder::set_powers(const std::vector<double>& powers) {
  double above = 1;
  for (std::size_t k = 0; k < gaps_.size(); ++k) {
    gaps_[k] = std::log(above / powers.at(k));
    above = powers[k];
  }
  place();
}

void Ladder::start() {
  for_each_index(rungs(), threads_, [this](std::size_t k) { at(k).start(); });
}

void Ladder::start_from(const std::function<State()>& draw) {
  for (std::size_t k = 0; k < rungs(); ++k) at(k).start_from(draw());
}

void Ladder::iterate() {
  const bool warming_up = cold_->warming_up();
  const std::int64_t iteration = cold_->iteration();
  if (iteration == options_->warmup) {  // counts so far were of a ladder that moved
    for (Swaps& swaps : swaps_) swaps.probability = 0, swaps.tried = 0;
    trips_ = counted_ = 0;
    std::ranges::fill(nodes_, 0.0);
  }
  for_each_index(rungs(), threads_, [this](std::size_t k) { at(k).iterate(); });
  // Even and odd pairs in turn, whatever is accepted: a state that has begun to climb goes on climbing.
  for (std::size_t k = static_cast<std::size_t>(iteration % 2); k + 1 < rungs(); k += 2) exchange(k);
  if (warming_up) place();
  from_hottest_.back() = 1;
  trips_ += from_hottest_.front();
  from_hottest_.front() = 0;
  ++counted_;
  for (std::size_t k = 0; k < rungs(); ++k)
    for (const auto& layer : at(k).state().gates.active) nodes_[k] += static_cast<double>(layer.size());
}

void Ladder::exchange(std::size_t k) {
  Chain& cold = at(k);
  Chain& hot = at(k + 1);
  const std::size_t rows = data_->rows.rows;
  const auto density = [rows](const Chain& rung, const Chain& state) {
    return log_rung_density(rung.model(), state.state(), state.statistic(), rows);
  };
  const double log_ratio = density(cold, hot) + density(hot, cold) - density(cold, cold) - density(hot, hot);
  const double probability = log_ratio >= 0 ? 1 : std::isfinite(log_ratio) ? std::exp(log_ratio) : 0;
  if (rng_.uniform() < probability) {
    cold.exchange(hot);
    std::swap(from_hottest_[k], from_hottest_[k + 1]);
  }
  // In either case: the noise had been integrated out.
  cold.settle();
  hot.settle();
  Swaps& swaps = swaps_[k];
  swaps.probability += probability;
  ++swaps.tried;
  // Robbins and Monro, on the log of the gap. The coldest chain counts the iteration that it has just made.
  if (cold_->iteration() > options_->warmup || !cold.annealed()) return;
  const double rate = std::pow(1 + 0.05 * static_cast<double>(swaps.since_start++), -0.6);
  gaps_[k] = std::min(kWidestGap, gaps_[k] * std::exp(rate * (probability - options_->swap_rate)));
}

double Ladder::swap_rate(std::size_t k) const {
  const Swaps& swaps = swaps_[k];
  return swaps.tried == 0 ? 0 : swaps.probability / static_cast<double>(swaps.tried);
}

double Ladder::least_swap_rate() const {
  double least = 1;
  for (std::size_t k = 0; k + 1 < rungs(); ++k) least = std::min(least, swap_rate(k));
  return least;
}

double Ladder::mean_nodes(std::size_t k) const { return counted_ == 0 ? 0 : nodes_[k] / static_cast<double>(counted_); }

nlohmann::json Ladder::statistics() const {
  nlohmann::json json{{"trips", trips_}};
  for (std::size_t k = 0; k < rungs(); ++k) {
    json["powers"].push_back(rung(k).power());
    json["nodes"].push_back(mean_nodes(k));
    if (k + 1 < rungs()) json["swap_rates"].push_back(swap_rate(k));
  }
  return json;
}

void Ladder::save(ByteWriter& out) const {
  out.put(rng_.state());
  out.put_all(gaps_);
  out.put_all(swaps_);
  out.put_all(from_hottest_);
  out.put(trips_);
  out.put(counted_);
  out.put_all(nodes_);
  for (const auto& hot : hot_) out.put_all(hot->checkpoint());
}

void Ladder::restore(ByteReader& in) {
  rng_ = Rng::from_state(in.get<Rng::State>());
  gaps_ = in.get_all<double>();
  swaps_ = in.get_all<Swaps>();
  from_hottest_ = in.get_all<char>();
  trips_ = in.get<std::int64_t>();
  counted_ = in.get<std::int64_t>();
  nodes_ = in.get_all<double>();
  if (gaps_.size() != hot_.size() || swaps_.size() != hot_.size() || from_hottest_.size() != rungs() ||
      nodes_.size() != rungs())
    throw Error("the checkpoint is of a ladder with another number of rungs");
  place();
  for (const auto& hot : hot_) hot->restore(in.get_all<std::byte>());
}

}  // namespace mbnn
