#include "mbnn/series/moving_covariance.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace mbnn {

namespace {

constexpr std::size_t kLanes = 16;        // columns that the kernel takes at once
constexpr std::size_t kExactTurns = 256;  // steps after which angles are computed anew: rounding must not add up

}  // namespace

MovingCovariance::MovingCovariance(const StateSpace& space) : space_(space), blocks_(space.seasons().size()) {
  const auto& seasons = space.seasons();
  for (std::size_t i = 0; i < seasons.size(); ++i)
    if (seasons[i].waves > 0)
      blocks_[i].first = std::exchange(waves_, waves_ + (blocks_[i].size = seasons[i].entries()));
  level_ = waves_;
  size_ = level_ + space.trend_entries();
  for (std::size_t i = 0; i < seasons.size(); ++i)
    if (seasons[i].waves == 0) blocks_[i].first = std::exchange(size_, size_ + (blocks_[i].size = seasons[i].steps()));
  stride_ = (size_ + kLanes - 1) / kLanes * kLanes;
  matrix_.assign(size_ * stride_, 0.0);
  taken_.assign(stride_, 0.0);
  gain_.assign(stride_, 0.0);
  seen_.assign(size_, 0.0);
  disturbed_.assign(size_, 0.0);

  const auto place = [&](std::size_t entry, std::size_t at) {
    row(at)[at] = space.initial_variance()[entry];
    disturbed_[at] = space.state_variance()[entry];
  };
  for (std::size_t k = 0; k < space.trend_entries(); ++k) place(k, level_ + k);
  for (std::size_t i = 0; i < seasons.size(); ++i) {
    Block& block = blocks_[i];
    const std::size_t entry = space.first(i + 1);
    if (seasons[i].waves > 0) {
      for (std::size_t k = 0; k < block.size; ++k) place(entry + k, block.first + k);
      continue;
    }
    block.sum.assign(stride_, 0.0);
    for (std::size_t k = 0; k < seasons[i].entries(); ++k) {  // the value of k steps ago
      const std::size_t at = block.first + (block.size - k) % block.size;
      place(entry + k, at);
      block.sum[at] = row(at)[at];
    }
    // One disturbance a step, of whatever slot has its turn.
    std::fill_n(disturbed_.begin() + static_cast<std::ptrdiff_t>(block.first), block.size,
                space.state_variance()[entry]);
  }
  turn_waves();
  for (std::size_t j = 0; j < waves_; ++j)
    for (std::size_t k = 0; k < size_; ++k) gain_[k] += seen_[j] * row(j)[k];
  add_row(level_, gain_);
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    if (seasons[i].waves == 0) add_row(blocks_[i].first + blocks_[i].slot, gain_);
}

void MovingCovariance::add_row(std::size_t i, std::vector<double>& to) const {
  const double* from = row(i);
  for (std::size_t k = 0; k < size_; ++k) to[k] += from[k];
}

// z at this step.
void MovingCovariance::turn_waves() {
  const bool exact = step_ % kExactTurns == 0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Season& season = space_.seasons()[i];
    const auto turns = space_.turns(i);
    for (std::size_t j = 0; j < season.waves; ++j) {
      double* z = seen_.data() + blocks_[i].first + 2 * j;
      const bool lone = 2 * j + 1 == blocks_[i].size;
      if (exact) {
        const double turned = std::fmod(static_cast<double>(step_) * static_cast<double>(j + 1), season.period);
        const double angle = 2 * std::numbers::pi * turned / season.period;
        z[0] = lone ? (step_ % 2 == 0 ? 1 : -1) : std::cos(angle);
        if (!lone) z[1] = std::sin(angle);
      } else if (lone) {
        z[0] = -z[0];
      } else {
        const double cosine = z[0];
        z[0] = turns[j].cosine * cosine - turns[j].sine * z[1];
        z[1] = turns[j].cosine * z[1] + turns[j].sine * cosine;
      }
    }
  }
}

double MovingCovariance::signal_variance() const {
  double sum = gain_[level_];
  for (std::size_t j = 0; j < waves_; ++j) sum += seen_[j] * gain_[j];
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    if (space_.seasons()[i].waves == 0) sum += gain_[blocks_[i].first + blocks_[i].slot];
  return sum;
}

void MovingCovariance::signal_covariance(std::vector<double>& states) const { as_states(gain_, states); }

std::vector<double> MovingCovariance::covariance_with(std::size_t component) const {
  std::vector<double> sum(size_, 0.0), states(space_.states());
  if (component == 0) {
    add_row(level_, sum);
  } else if (const Block& block = blocks_[component - 1]; !block.sum.empty()) {
    add_row(block.first + block.slot, sum);
  } else {
    for (std::size_t j = block.first; j < block.first + block.size; ++j)
      for (std::size_t k = 0; k < size_; ++k) sum[k] += seen_[j] * row(j)[k];
  }
  as_states(sum, states);
  return states;
}

// a = T^t b, and the values of a pattern from the newest to the oldest.
void MovingCovariance::as_states(const std::vector<double>& frame, std::vector<double>& states) const {
  states[0] = frame[level_];
  if (space_.trend() == Trend::linear) states[1] = frame[level_ + 1];
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Season& season = space_.seasons()[i];
    const Block& block = blocks_[i];
    const double* from = frame.data() + block.first;
    double* to = states.data() + space_.first(i + 1);
    if (season.waves == 0) {
      for (std::size_t k = 0; k + 1 < block.size; ++k)
        to[k] = from[block.slot >= k ? block.slot - k : block.slot + block.size - k];
      continue;
    }
    const double* z = seen_.data() + block.first;
    for (std::size_t j = 0; j + 1 < block.size; j += 2) {
      to[j] = z[j] * from[j] + z[j + 1] * from[j + 1];
      to[j + 1] = z[j] * from[j + 1] - z[j + 1] * from[j];
    }
    if (season.lone()) to[block.size - 1] = z[block.size - 1] * from[block.size - 1];
  }
}

void MovingCovariance::observe(double variance) {
  const double scale = 1 / std::sqrt(variance);
  for (std::size_t k = 0; k < size_; ++k) taken_[k] = scale * gain_[k];
  for (Block& block : blocks_) {
    if (block.sum.empty()) continue;
    double taken = 0;
    for (std::size_t k = block.first; k < block.first + block.size; ++k) taken += taken_[k];
    for (std::size_t k = 0; k < size_; ++k) block.sum[k] -= taken * taken_[k];
  }
}

void MovingCovariance::advance() {
  ++step_;
  turn_waves();
  for (std::size_t j = 0; j < waves_; ++j) row(j)[j] += disturbed_[j];
  covariance_kernels().update(matrix_.data(), size_, stride_, taken_.data(), waves_, seen_.data(), gain_.data());
  std::fill(taken_.begin(), taken_.end(), 0.0);
  move_trend();
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    if (!blocks_[i].sum.empty()) move_pattern(i);
  // What the waves see of the rows that moved; then those rows themselves.
  const auto seen_by_waves = [&](std::size_t i) {
    gain_[i] = 0;
    for (std::size_t j = 0; j < waves_; ++j) gain_[i] += seen_[j] * row(i)[j];
  };
  seen_by_waves(level_);
  for (const Block& block : blocks_)
    if (!block.sum.empty()) seen_by_waves(block.first + block.slot);
  add_row(level_, gain_);
  for (const Block& block : blocks_)
    if (!block.sum.empty()) add_row(block.first + block.slot, gain_);
}

void MovingCovariance::move_trend() {
  double* level = row(level_);
  if (space_.trend() == Trend::damped) {
    const double r = space_.damping();
    for (std::size_t k = 0; k < size_; ++k) level[k] *= r;
    for (std::size_t k = 0; k < size_; ++k) row(k)[level_] *= r;
    for (Block& block : blocks_)
      if (!block.sum.empty()) block.sum[level_] *= r;
  } else if (space_.trend() == Trend::linear) {
    for (std::size_t k = 0; k < size_; ++k) level[k] += row(level_ + 1)[k];
    for (std::size_t k = 0; k < size_; ++k) row(k)[level_] += row(k)[level_ + 1];
    for (Block& block : blocks_)
      if (!block.sum.empty()) block.sum[level_] += block.sum[level_ + 1];
    row(level_ + 1)[level_ + 1] += disturbed_[level_ + 1];
  }
  level[level_] += disturbed_[level_];
}

void MovingCovariance::move_pattern(std::size_t season) {
  Block& block = blocks_[season];
  block.slot = (block.slot + 1) % block.size;
  const std::size_t at = block.first + block.slot;
  double variance = 0;  // of W
  for (std::size_t k = block.first; k < block.first + block.size; ++k) variance += block.sum[k];
  double* moved = row(at);
  const double own = moved[at] - 2 * block.sum[at] + variance + disturbed_[at];
  for (std::size_t k = 0; k < size_; ++k) {
    moved[k] -= block.sum[k];
    row(k)[at] = moved[k];
  }
  moved[at] = own;
  for (Block& other : blocks_) {
    if (other.sum.empty() || &other == &block) continue;
    double shared = 0;  // covariance of the two sums
    for (std::size_t k = block.first; k < block.first + block.size; ++k) shared += other.sum[k];
    other.sum[at] -= shared;
  }
  std::fill(block.sum.begin(), block.sum.end(), 0.0);
  block.sum[at] = disturbed_[at];
}

}  // namespace mbnn
